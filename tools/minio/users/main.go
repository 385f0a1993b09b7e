// Command users makes one user of a MinIO server for each S3 policy in a folder, with that policy alone, for the tests
// of who may what. It prints a line for each: name, secret.
//
//	users ENDPOINT FOLDER
//
// The server's root user is read from MINIO_ROOT_USER and MINIO_ROOT_PASSWORD.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/minio/madmin-go/v3"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: users ENDPOINT FOLDER")
		os.Exit(2)
	}
	if err := makeUsers(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "users:", err)
		os.Exit(1)
	}
}

func makeUsers(ctx context.Context, endpoint, folder string) error {
	admin, err := madmin.New(endpoint, os.Getenv("MINIO_ROOT_USER"), os.Getenv("MINIO_ROOT_PASSWORD"), false)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		policy, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, secret := strings.TrimSuffix(filepath.Base(file), ".json"), rand.Text()
		if err := admin.AddCannedPolicy(ctx, name, policy); err != nil {
			return fmt.Errorf("policy %s: %w", name, err)
		}
		if err := admin.AddUser(ctx, name, secret); err != nil {
			return fmt.Errorf("user %s: %w", name, err)
		}
		if _, err := admin.AttachPolicy(ctx, madmin.PolicyAssociationReq{Policies: []string{name}, User: name}); err != nil {
			return fmt.Errorf("policy of user %s: %w", name, err)
		}
		fmt.Println(name, secret)
	}
	return nil
}
