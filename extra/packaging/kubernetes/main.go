// Reads the manifest of a Job as a kube-apiserver does: strictly, with defaults, by the Job's own strategy and validation, and by the Pod Security
// Standard "restricted". Then prints what a kubelet would run for each index, a line each, its words separated by tabs.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"
	psa "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "error: "+format+"\n", args...)
	os.Exit(1)
}

// The Job as it is written, with what the API server sets where nothing is said.
func read(file string) *batchv1.Job {
	text, err := os.ReadFile(file)
	if err != nil {
		fail("%v", err)
	}
	scheme := legacyscheme.Scheme
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	object, _, err := strict.Decode(text, nil, nil)
	if err != nil {
		fail("%s: %v", file, err)
	}
	manifest, ok := object.(*batchv1.Job)
	if !ok {
		fail("%s: not a Job, but %T", file, object)
	}
	manifest.Namespace = "default"
	scheme.Default(manifest)
	return manifest
}

// What the API server does when the Job is created, up to storing it.
func admit(file string, manifest *batchv1.Job) {
	internal := &batch.Job{}
	if err := legacyscheme.Scheme.Convert(manifest, internal, nil); err != nil {
		fail("%s: %v", file, err)
	}
	ctx := genericapirequest.WithNamespace(context.Background(), "default")
	rest.FillObjectMetaSystemFields(internal)
	if err := rest.BeforeCreate(job.Strategy, ctx, internal); err != nil {
		fail("%s: %v", file, err)
	}
	for _, warning := range job.Strategy.WarningsOnCreate(ctx, internal) {
		fail("%s: warning: %s", file, warning)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks())
	if err != nil {
		fail("%v", err)
	}
	level := psa.LevelVersion{Level: psa.LevelRestricted, Version: psa.LatestVersion()}
	template := &manifest.Spec.Template
	for _, result := range evaluator.EvaluatePod(level, &template.ObjectMeta, &template.Spec) {
		if !result.Allowed {
			fail("%s: restricted: %s: %s", file, result.ForbiddenReason, result.ForbiddenDetail)
		}
	}
}

func main() {
	file := os.Args[1]
	manifest := read(file)
	admit(file, manifest)
	container := manifest.Spec.Template.Spec.Containers[0]
	for index := range int(*manifest.Spec.Completions) {
		known := map[string]string{"JOB_COMPLETION_INDEX": strconv.Itoa(index)}
		var words []string
		for _, word := range append(append([]string{}, container.Command...), container.Args...) {
			words = append(words, expansion.Expand(word, expansion.MappingFuncFor(known)))
		}
		fmt.Println(strings.Join(words, "\t"))
	}
}
