package kubernetes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/yaml"
)

// definitions are the files of custom resources that are used, in the modules of those
// who make them, with the modules' checksums.
var definitions = []struct{ module, sum, file string }{
	{"github.com/kedacore/keda/v2@v2.21.0", "h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps=", "config/crd/bases/keda.sh_scaledobjects.yaml"},
	{"github.com/prometheus-operator/prometheus-operator@v0.85.0", "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=", "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml"},
	{"github.com/prometheus-operator/prometheus-operator@v0.85.0", "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=", "example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml"},
	{"github.com/prometheus-operator/prometheus-operator@v0.85.0", "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=", "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml"},
	{"github.com/cert-manager/cert-manager@v1.21.2", "h1:UWgoYM+KLNtRlqmoWOKjKBOBUPVHeepQ6/ac3ERJW68=", "deploy/crds/cert-manager.io_certificates.yaml"},
	{"github.com/cloudnative-pg/cloudnative-pg@v1.27.0", "h1:mp0zlYO4vKAJmQdArWORWKr1lmB4Hj8JeBQGX5RBnpg=", "config/crd/bases/postgresql.cnpg.io_clusters.yaml"},
}

// download returns the folder of a module of the Go proxy, once for each.
var download = func() func(module, sum string) (string, error) {
	var mu sync.Mutex
	known := map[string]string{}
	return func(module, sum string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if dir := known[module]; dir != "" {
			return dir, nil
		}
		cmd := exec.Command("go", "mod", "download", "-json", module)
		cmd.Dir = os.TempDir()
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("%s: %w\n%s", module, err, out)
		}
		var answer struct{ Dir, Sum string }
		if err := json.Unmarshal(out, &answer); err != nil {
			return "", err
		}
		if answer.Sum != sum {
			return "", fmt.Errorf("%s has the checksum %s, want %s", module, answer.Sum, sum)
		}
		known[module] = answer.Dir
		return answer.Dir, nil
	}
}()

// readDefinitions returns the definitions of custom resources, as they are in files.
func readDefinitions(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, d := range definitions {
		dir, err := download(d.module, d.sum)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, d.file))
		if err != nil {
			t.Fatal(err)
		}
		definition := new(apiextensionsv1.CustomResourceDefinition)
		if err := yaml.Unmarshal(text, definition); err != nil {
			t.Fatal(err)
		}
		all = append(all, definition)
	}
	return all
}

// custom is what a custom resource is held against.
type custom struct {
	schema    *structuralschema.Structural
	validator validation.SchemaValidator
}

func customs(t *testing.T) map[string]custom {
	t.Helper()
	found := map[string]custom{}
	for _, d := range readDefinitions(t) {
		for _, version := range d.Spec.Versions {
			internal := new(apiextensions.JSONSchemaProps)
			if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, internal, nil); err != nil {
				t.Fatal(err)
			}
			schema, err := structuralschema.NewStructural(internal)
			if err != nil {
				t.Fatal(err)
			}
			validator, _, err := validation.NewSchemaValidator(internal)
			if err != nil {
				t.Fatal(err)
			}
			found[d.Spec.Group+"/"+version.Name+" "+d.Spec.Names.Kind] = custom{schema, validator}
		}
	}
	return found
}

// TestManifestsDecodeStrictly: an unknown or doubled field is a mistake that a cluster may
// pass over in silence.
func TestManifestsDecodeStrictly(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, policyv1.AddToScheme, networkingv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	known := customs(t)
	strictly := func(o *unstructured.Unstructured) error {
		text, err := o.MarshalJSON()
		if err != nil {
			return err
		}
		if c, ok := known[o.GetAPIVersion()+" "+o.GetKind()]; ok {
			return c.check(o)
		}
		_, _, err = decoder.Decode(text, nil, nil)
		return err
	}
	eachBuild(t, func(t *testing.T, all objects) {
		for _, o := range all {
			if err := strictly(o); err != nil {
				t.Errorf("%s %s: %v", o.GetKind(), o.GetName(), err)
			}
		}
	})
	t.Run("a mistake is found", func(t *testing.T) {
		for _, text := range []string{
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replica: 1}",
			"apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: a}\nspec: {scaleTargetRef: {name: a, nam: b}, triggers: [{type: cron, metadata: {}}]}",
			"apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: a}\nspec: {scaleTargetRef: {name: a}}",
		} {
			o := new(unstructured.Unstructured)
			if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
				t.Fatal(err)
			}
			if err := strictly(o); err == nil {
				t.Errorf("is not found in\n%s", text)
			}
		}
	})
}

func (c custom) check(o *unstructured.Unstructured) error {
	unknown := pruning.PruneWithOptions(o.DeepCopy().Object, c.schema, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	if len(unknown) > 0 {
		return fmt.Errorf("unknown: %s", strings.Join(unknown, ", "))
	}
	if problems := validation.ValidateCustomResource(nil, o.Object, c.validator); len(problems) > 0 {
		return problems.ToAggregate()
	}
	return nil
}

// decode fills a typed object with an untyped one.
func decode[T any](t *testing.T, o *unstructured.Unstructured) *T {
	t.Helper()
	text, err := o.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	typed := new(T)
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(typed); err != nil {
		t.Fatal(err)
	}
	return typed
}
