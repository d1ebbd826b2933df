import "reflect-metadata"; // x509 reads its decorators through it.
import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(crypto);
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const hour = 3_600_000;

/** A server's key and the certificate that vouches for it, PEM. */
type ServerIdentity = { key: string; cert: string };

/** Makes a certificate authority and, signed by it, a certificate for localhost; good for an hour. */
export async function makeAuthority(): Promise<{ certificate: string; server: ServerIdentity }> {
	const generate = () => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
	const [authorityKeys, serverKeys] = await Promise.all([generate(), generate()]);
	const valid = {
		notBefore: new Date(Date.now() - hour),
		notAfter: new Date(Date.now() + hour),
		signingAlgorithm: algorithm,
	};
	const authority = await x509.X509CertificateGenerator.createSelfSigned({
		...valid,
		name: "CN=Lango test authority",
		keys: authorityKeys,
		extensions: [
			new x509.BasicConstraintsExtension(true, 0, true),
			new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
		],
	});
	const certificate = await x509.X509CertificateGenerator.create({
		...valid,
		serialNumber: "02",
		subject: "CN=localhost",
		issuer: authority.subject,
		publicKey: serverKeys.publicKey,
		signingKey: authorityKeys.privateKey,
		extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }])],
	});
	const key = x509.PemConverter.encode(
		await crypto.subtle.exportKey("pkcs8", serverKeys.privateKey),
		"PRIVATE KEY",
	);
	return { certificate: authority.toString("pem"), server: { key, cert: certificate.toString("pem") } };
}

/** A reverse proxy as in a deployment: it terminates TLS and forwards everything. */
export type TlsProxy = { url: string; forwardTo(service: URL): void; close(): Promise<void> };

/** Starts on a free port of localhost. */
export async function startTlsProxy(identity: ServerIdentity): Promise<TlsProxy> {
	let target: URL | undefined;
	const server = createServer(identity, (incoming, outgoing) => {
		if (target === undefined) return void outgoing.writeHead(503).end();
		const { hostname, port } = target;
		const onward = request(
			{ hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers },
			(answer) => {
				outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
				answer.pipe(outgoing);
			},
		);
		onward.on("error", () => outgoing.writeHead(502).end());
		incoming.pipe(onward);
	});
	server.listen(0, "localhost");
	await once(server, "listening");
	return {
		url: `https://localhost:${(server.address() as AddressInfo).port}`,
		forwardTo: (service) => {
			target = service;
		},
		close: async () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
