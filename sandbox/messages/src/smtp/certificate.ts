import "reflect-metadata"; // x509 reads its decorators through it.
import * as x509 from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const yearMs = 365 * 24 * 3_600_000;

/** A key and a certificate that it signed itself, PEM: for STARTTLS on localhost, valid for a year. */
export async function makeCertificate(now: Date): Promise<{ key: string; cert: string }> {
	x509.cryptoProvider.set(crypto);
	const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
	const certificate = await x509.X509CertificateGenerator.createSelfSigned({
		name: "CN=localhost",
		notBefore: new Date(now.getTime() - 3_600_000),
		notAfter: new Date(now.getTime() + yearMs),
		signingAlgorithm: algorithm,
		keys,
		extensions: [
			new x509.SubjectAlternativeNameExtension([
				{ type: "dns", value: "localhost" },
				{ type: "ip", value: "127.0.0.1" },
			]),
		],
	});
	const key = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
	return { key: x509.PemConverter.encode(key, "PRIVATE KEY"), cert: certificate.toString("pem") };
}
