// Command users makes one user of a MinIO server for each S3 policy in a folder, with that policy alone, for the tests
// of who may what. It prints a line for each: name, secret. The name is that of the policy, with SUFFIX behind it. With
// --remove it removes these users.
//
//	users [--remove] URL FOLDER [SUFFIX]
//
// The server's root user is read from MINIO_ROOT_USER and MINIO_ROOT_PASSWORD.
package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/minio/madmin-go/v3"
)

func main() {
	remove := flag.Bool("remove", false, "remove the users")
	flag.Parse()
	if n := flag.NArg(); n != 2 && n != 3 {
		fmt.Fprintln(os.Stderr, "usage: users [--remove] URL FOLDER [SUFFIX]")
		os.Exit(2)
	}
	if err := changeUsers(context.Background(), flag.Arg(0), flag.Arg(1), flag.Arg(2), *remove); err != nil {
		fmt.Fprintln(os.Stderr, "users:", err)
		os.Exit(1)
	}
}

func changeUsers(ctx context.Context, address, folder, suffix string, remove bool) error {
	endpoint, err := url.Parse(address)
	if err != nil {
		return err
	}
	admin, err := madmin.New(endpoint.Host, os.Getenv("MINIO_ROOT_USER"), os.Getenv("MINIO_ROOT_PASSWORD"), endpoint.Scheme == "https")
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no policies in %s", folder)
	}
	for _, file := range files {
		policy := strings.TrimSuffix(filepath.Base(file), ".json")
		name, secret := policy+suffix, rand.Text()
		if remove {
			if err := admin.RemoveUser(ctx, name); err != nil {
				return fmt.Errorf("user %s: %w", name, err)
			}
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := admin.AddCannedPolicy(ctx, policy, text); err != nil {
			return fmt.Errorf("policy %s: %w", policy, err)
		}
		if err := admin.AddUser(ctx, name, secret); err != nil {
			return fmt.Errorf("user %s: %w", name, err)
		}
		if _, err := admin.AttachPolicy(ctx, madmin.PolicyAssociationReq{Policies: []string{policy}, User: name}); err != nil {
			return fmt.Errorf("policy of user %s: %w", name, err)
		}
		fmt.Println(name, secret)
	}
	return nil
}
