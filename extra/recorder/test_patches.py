#!/usr/bin/env python3
"""Tests of patches.py, with modules that are made up; neither Go nor Kubernetes is needed."""
import os, tempfile, unittest
from patches import Change, Refused, changed, of_module, parse

EVICT = "\n".join(["package evict", "", "const retries = 5", "", "func evict() {", "\tfor i := 0; i < retries; i++ {", "\t}", "}", ""])
DIFF = """diff --git a/pkg/evict/evict.go b/pkg/evict/evict.go
index 1111111..2222222 100644
--- a/pkg/evict/evict.go
+++ b/pkg/evict/evict.go
@@ -1,5 +1,5 @@ package evict
 package evict
 
-const retries = 5
+const retries = 50
 
 func evict() {
"""


class Patches(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.linked = {}
        self.write("k8s.io/kubernetes", "pkg/evict/evict.go", EVICT)
        self.write("k8s.io/api", "core/v1/types.go", "package v1\n")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, module, name, text):
        root = os.path.join(self.folder.name, module)
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        self.linked.setdefault(module, (root, set()))[1].add(name)

    def change(self, text):
        path = os.path.join(self.folder.name, "pull.diff")
        with open(path, "w") as f:
            f.write(text)
        change = Change(path)
        change.prepare(self.linked, "v1.34.4")
        return change

    def refusal(self, text):
        with self.assertRaises(Refused) as refused:
            self.change(text)
        return str(refused.exception).replace(self.folder.name + os.sep, "")

    def test_paths_are_those_of_modules(self):
        self.assertEqual(of_module("pkg/controller/x.go"), ("k8s.io/kubernetes", "pkg/controller/x.go"))
        self.assertEqual(of_module("staging/src/k8s.io/client-go/tools/cache/x.go"), ("k8s.io/client-go", "tools/cache/x.go"))
        self.assertEqual(of_module("vendor/k8s.io/klog/v2/klog.go"), None)

    def test_what_is_linked_is_changed_and_the_rest_is_named(self):
        types = "--- a/staging/src/k8s.io/api/core/v1/types.go\n+++ b/staging/src/k8s.io/api/core/v1/types.go\n@@ -1 +1,2 @@\n package v1\n+var New = 1\n"
        new = "diff --git a/pkg/evict/more.go b/pkg/evict/more.go\nnew file mode 100644\n--- /dev/null\n+++ b/pkg/evict/more.go\n@@ -0,0 +1,2 @@\n+package evict\n+\n"
        test = "--- a/pkg/evict/evict_test.go\n+++ b/pkg/evict/evict_test.go\n@@ -1 +1 @@\n-no such line\n+another\n"
        text = DIFF + types + new + test + test.replace("pkg/evict/evict_test.go", "CHANGELOG.md") + "-- \n2.39.0\n"
        change = self.change(text)
        root = self.linked["k8s.io/kubernetes"][0]
        os.link(os.path.join(root, "pkg/evict/evict.go"), os.path.join(self.folder.name, "shared.go"))
        for module in self.linked:
            change.apply(module, self.linked[module][0])
        with open(os.path.join(root, "pkg/evict/evict.go")) as f:
            self.assertEqual(f.read(), EVICT.replace("= 5", "= 50"))
        with open(os.path.join(self.folder.name, "shared.go")) as f:
            self.assertEqual(f.read(), EVICT, "what other module caches share stays")
        with open(os.path.join(self.linked["k8s.io/api"][0], "core/v1/types.go")) as f:
            self.assertEqual(f.read(), "package v1\nvar New = 1\n")
        self.linked["k8s.io/kubernetes"][1].add("pkg/evict/more.go")
        said = change.said(self.linked)
        self.assertEqual(said["applied"], ["pkg/evict/evict.go", "staging/src/k8s.io/api/core/v1/types.go", "pkg/evict/more.go"])
        self.assertEqual(said["left_out"], ["pkg/evict/evict_test.go", "CHANGELOG.md"])

    def test_a_hunk_may_have_moved(self):
        file = parse(DIFF, "pull.diff")[0]
        lines = ["// one", "// two", "// three", *EVICT.split("\n")]
        self.assertEqual("\n".join(changed(lines, file, "pull.diff", "v1.34.4")[3:]), EVICT.replace("= 5", "= 50"))

    def test_commits_after_one_another_change_one_file(self):
        again = DIFF.replace("retries = 50", "retries = 500").replace("-const retries = 5\n", "-const retries = 50\n")
        lines = self.change(DIFF + again).contents["k8s.io/kubernetes", "pkg/evict/evict.go"]
        self.assertEqual(lines[2], "const retries = 500")

    def test_a_file_may_go_and_another_name_come(self):
        renamed = "diff --git a/pkg/evict/evict.go b/pkg/evict/other.go\nsimilarity index 100%\nrename from pkg/evict/evict.go\nrename to pkg/evict/other.go\n"
        contents = self.change(renamed).contents
        self.assertIsNone(contents["k8s.io/kubernetes", "pkg/evict/evict.go"])
        self.assertEqual("\n".join(contents["k8s.io/kubernetes", "pkg/evict/other.go"]), EVICT)

    def test_a_refusal_says_where_what_and_what_to_do(self):
        instead = "Take the change as it is for that release, a cherry pick, or try one that it was made for (--kubernetes)"
        self.assertEqual(
            self.refusal(DIFF.replace("-const retries = 5", "-const retries = 6")),
            "pull.diff:5: this hunk does not apply to pkg/evict/evict.go of v1.34.4: its line 3 is to be 'const retries = 6', and is 'const retries = 5'. " + instead,
        )
        self.assertEqual(
            self.refusal(DIFF.replace("@@ -1,5 +1,5 @@", "@@ -1,9 +1,9 @@")),
            "pull.diff:12: the hunk that begins at line 5 ends too early: it is to have 9 old lines and 9 new ones; make the diff anew, hunks are not to be edited by hand",
        )
        new = "--- /dev/null\n+++ b/pkg/evict/evict.go\n@@ -0,0 +1 @@\n+package evict\n"
        self.assertEqual(self.refusal(new), "pull.diff: v1.34.4 has already a pkg/evict/evict.go. " + instead)
        bare = "--- a/pkg/evict/evict.go\n+++ b/pkg/evict/evict.go\n@@ -3,0 +4 @@\n+const more = 1\n"
        self.assertIn("pull.diff:3: this hunk has no lines of the old file", self.refusal(bare))
        self.assertIn("pull.diff changes nothing that the recorder links of v1.34.4: README.md. ", self.refusal(DIFF.replace("pkg/evict/evict.go", "README.md")))
        self.assertIn("pull.diff is no unified diff: ", self.refusal("Fixes the race.\n"))
        self.assertIn("pull.diff:1: the path '/etc/passwd' is not of the form a/pkg/…", self.refusal("--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n"))
        self.assertIn("the path 'a/../../x.go'", self.refusal("--- a/../../x.go\n+++ b/../../x.go\n@@ -1 +1 @@\n-a\n+b\n"))
        self.assertIn("the change of a binary file cannot be tried", self.refusal("diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n"))


if __name__ == "__main__":
    unittest.main()
