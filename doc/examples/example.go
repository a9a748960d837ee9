// SPDX-License-Identifier: MIT
// Sends an email, or verifies a webhook, with Go's own packages.
//
//	RESEND_BASE_URL=https://mail.example.org/resend RESEND_API_KEY=ph_... go run example.go send FROM TO
//	WEBHOOK_SECRET=whsec_... go run example.go verify ID TIMESTAMP SIGNATURE <BODY
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func send(from, to string) (string, error) {
	body, _ := json.Marshal(map[string]any{"from": from, "to": []string{to}, "subject": "Hello", "text": "From Go"})
	request, err := http.NewRequest("POST", os.Getenv("RESEND_BASE_URL")+"/emails", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("RESEND_API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(string(answer))
	}
	return string(answer), err
}

// body: the bytes of the request as they came. The others: its headers webhook-*.
func verify(body []byte, id, timestamp, signature string) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if age := time.Since(time.Unix(seconds, 0)); err != nil || age.Abs() > 5*time.Minute {
		return errors.New("too old")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, got := range strings.Split(signature, " ") {
		if hmac.Equal([]byte(got), []byte(want)) {
			return nil
		}
	}
	return errors.New("wrong signature")
}

func main() {
	words, answer := os.Args[2:], "verified"
	var err error
	if os.Args[1] == "send" {
		answer, err = send(words[0], words[1])
	} else {
		body, _ := io.ReadAll(os.Stdin)
		err = verify(body, words[0], words[1], words[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(answer)
}
