import { X509Certificate } from "node:crypto";

/** How many seconds a certificate is still valid; undefined for a bare public key, which has no end. */
export function certificateLeft(certificate: string, now: Date): number | undefined {
	if (!certificate.includes("BEGIN CERTIFICATE")) return undefined;
	return (new X509Certificate(certificate).validToDate.getTime() - now.getTime()) / 1000;
}
