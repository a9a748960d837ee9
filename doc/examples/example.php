<?php
// SPDX-License-Identifier: MIT
// Sends an email, or verifies a webhook, with PHP alone.
//
//	RESEND_BASE_URL=https://mail.example.org/resend RESEND_API_KEY=ph_... php example.php send FROM TO
//	WEBHOOK_SECRET=whsec_... php example.php verify ID TIMESTAMP SIGNATURE <BODY

function send(string $from, string $to): string
{
	$answer = file_get_contents(getenv('RESEND_BASE_URL') . '/emails', false, stream_context_create(['http' => [
		'method' => 'POST',
		'header' => ['Authorization: Bearer ' . getenv('RESEND_API_KEY'), 'Content-Type: application/json'],
		'content' => json_encode(['from' => $from, 'to' => [$to], 'subject' => 'Hello', 'text' => 'From PHP']),
		'ignore_errors' => true,
	]]));

	if ($answer === false || !isset(json_decode($answer, true)['id']))
		throw new Exception((string)$answer);
	return $answer;
}

// $body: the request's as it came, file_get_contents('php://input'). The others: its headers webhook-*.
function verify(string $body, string $id, string $timestamp, string $signature): string
{
	$key = base64_decode(preg_replace('/^whsec_/', '', getenv('WEBHOOK_SECRET')));
	$want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));

	if (abs(time() - (int)$timestamp) > 300)
		throw new Exception('too old');
	foreach (explode(' ', $signature) as $got)
		if (hash_equals($want, $got))
			return 'verified';
	throw new Exception('wrong signature');
}

$words = array_slice($argv, 2);
echo $argv[1] === 'send' ? send(...$words) : verify(file_get_contents('php://stdin'), ...$words), "\n";
