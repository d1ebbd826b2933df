import { constants, publicEncrypt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { demoAccounts, type SandboxOptions, startMobileMoneySandbox } from "../src/index.ts";

type Received = { path: string; text: string };

/** A server that receives callbacks, on a free port. */
export async function openReceiver() {
	let received: Received[] = [];
	let answer = (_path: string): object => ({ ResultCode: "0", ResultDesc: "Accepted" });
	const server = createServer(async (request, response) => {
		const path = request.url ?? "";
		received.push({ path, text: await text(request) });
		response.setHeader("content-type", "application/json");
		response.end(JSON.stringify(answer(path)));
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		received: () => received,
		/** What came to this path, parsed. */
		bodies: (path: string) => received.filter((one) => one.path === path).map((one) => JSON.parse(one.text)),
		answerWith: (next: typeof answer) => {
			answer = next;
		},
		clear: () => {
			received = [];
		},
		close: () => server.close(),
	};
}

/**
 * A sandbox on a free port, whose clock is set to 2026-11-24 11:00 in Nairobi, and what a client does with
 * it.
 */
export async function openGateway(options: SandboxOptions = {}) {
	const sandbox = await startMobileMoneySandbox({ port: 0, followAfterMs: 0, ...options });
	const { url } = sandbox;
	let token = "";
	const send = async (method: string, path: string, body?: unknown) => {
		const answer = await fetch(`${url}${path}`, {
			method,
			headers: {
				...(body !== undefined && { "content-type": "application/json" }),
				...(token && { authorization: `Bearer ${token}` }),
			},
			...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
		});
		const read = await answer.text();
		return { status: answer.status, text: read, body: read.startsWith("{") ? JSON.parse(read) : undefined };
	};
	const login = async (name = "sandbox-consumer-key", password = "sandbox-consumer-secret") => {
		const answer = await fetch(`${url}/oauth/v1/generate?grant_type=client_credentials`, {
			headers: { authorization: `Basic ${btoa(`${name}:${password}`)}` },
		});
		return { status: answer.status, text: await answer.text() };
	};
	const control = async (what: string, body?: unknown) => {
		const [method = "", path = ""] = what.split(" ");
		const answer = await send(method, `/_control/${path}`, body);
		if (answer.status >= 400) throw new Error(`${what}: ${answer.status} ${answer.text}`);
		return answer.body;
	};
	const signIn = async () => {
		token = JSON.parse((await login()).text).access_token;
	};
	await control("PUT clock", { now: "2026-11-24T08:00:00Z" });
	await signIn();
	return {
		...{ url, login, control, signIn, send },
		stop: () => sandbox.stop(),
		useToken: (next: string) => {
			token = next;
		},
		/** Calls an operation of the API. */
		post: (path: string, body: unknown) => send("POST", `/mobilemoney${path}`, body),
		fault: (rule: object) => control("PUT faults", [rule]),
		/** Movements of payments, without those that open balances. */
		movements: async () =>
			(await control("GET ledger")).movements.filter(({ kind }: { kind: string }) => kind !== "deposit"),
		balances: async (): Promise<Record<string, number>> => (await control("GET ledger")).balances,
	};
}

/** The password of an initiator, encrypted with the sandbox's certificate. */
export async function credentialOf({ url }: { url: string }, password = "Sandbox-2026!"): Promise<string> {
	const key = await (await fetch(`${url}/certificate`)).text();
	return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(password)).toString(
		"base64",
	);
}

export type Gateway = Awaited<ReturnType<typeof openGateway>>;

const timestamp = "20261124110000";
export const passwordOf = (shortcode: string, passkey = "sandbox-passkey") =>
	btoa(`${shortcode}${passkey}${timestamp}`);

/** The body of a push prompt to the platform's paybill. */
export const pushBody = (members: object = {}) => ({
	BusinessShortCode: demoAccounts[0]?.shortcode,
	Password: passwordOf("600100"),
	Timestamp: timestamp,
	TransactionType: "CustomerPayBillOnline",
	Amount: "250",
	PartyA: "254712345001",
	PartyB: "600100",
	PhoneNumber: "254712345001",
	CallBackURL: "http://127.0.0.1:1/closed",
	AccountReference: "INV-1",
	TransactionDesc: "Invoice 1",
	...members,
});

/** The body of a push query. */
export const queryBody = (id: string) => ({
	BusinessShortCode: "600100",
	Password: passwordOf("600100"),
	Timestamp: timestamp,
	CheckoutRequestID: id,
});
