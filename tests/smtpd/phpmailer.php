<?php
// SPDX-License-Identifier: MIT
// Sends by PHPMailer, as its users write it: with STARTTLS and with TLS, several over one connection, one of them large.
// Arguments: the ports in plain and with TLS, the certificate.
require '/usr/share/php/libphp-phpmailer/autoload.php';

use PHPMailer\PHPMailer\PHPMailer;

[, $plain, $tls, $certificate] = $argv;

foreach (['starttls' => [$plain, PHPMailer::ENCRYPTION_STARTTLS], 'tls' => [$tls, PHPMailer::ENCRYPTION_SMTPS]] as $way => [$port, $secure]) {
	$mailer = new PHPMailer(true);
	$mailer->isSMTP();
	$mailer->Host = 'localhost';
	$mailer->Port = (int)$port;
	$mailer->SMTPSecure = $secure;
	$mailer->SMTPAuth = true;
	$mailer->Username = 'posthouse';
	$mailer->Password = getenv('POSTHOUSE_KEY');
	$mailer->SMTPOptions = ['ssl' => ['cafile' => $certificate]];
	$mailer->SMTPKeepAlive = true;
	$mailer->CharSet = PHPMailer::CHARSET_UTF8;
	$mailer->setFrom('shop@posthouse.example', 'Shop');
	$mailer->addAddress('ann@example.net');
	$mailer->isHTML();
	$mailer->Body = '<p>Grüße</p>';
	$mailer->AltBody = ".\n..two\nGrüße\n.";
	foreach (['', 'large '] as $name) {
		if ($name !== '')
			$mailer->addStringAttachment(str_repeat("\7", 4 << 20), 'a.bin');
		$mailer->Subject = "phpmailer $name$way";
		$mailer->send();
	}
	$mailer->smtpClose();
}
