// Empty: with an assembly file in the package the compiler allows a function without a body, which
// revisionOf in objects.go is. The linker finds it in upstream's code.
