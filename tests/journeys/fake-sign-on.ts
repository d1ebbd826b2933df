import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { knownAnswers } from "./fake-sign-on-answers.ts";

/** One request that the fake received. */
export type Received = {
	method: string;
	path: string;
	query: URLSearchParams;
	cookie: string | undefined;
	body: unknown;
};
/** What it answers; "nothing" leaves the caller waiting, "hang up" ends the connection without an answer. */
export type Answer =
	| { status: number; body: unknown; headers?: Record<string, string> }
	| "nothing"
	| "hang up";

export type FakeSignOn = {
	url: string;
	/** What POST /api/v1/auth/login answers from now on. */
	login: (answer: Answer) => void;
	/**
	 * What a method and a path answer from now on, for example "GET /api/v1/auth/me"; what it knows by itself
	 * when left out.
	 */
	answer: (call: string, answer?: Answer) => void;
	/** Requests since the last call, without preflights. */
	takeReceived: () => Received[];
	/** The one origin that may call with cookies. */
	allow: (origin: string) => void;
	close: () => Promise<void>;
};

export const signedIn: Answer = {
	status: 200,
	headers: { "set-cookie": "lango=a-session; HttpOnly; SameSite=Lax; Path=/" },
	body: {
		access_token: "an-access-token",
		refresh_token: "a-refresh-token",
		user: {
			id: "7d9f0a52-0000-4000-8000-000000000001",
			email: "admin@uhai.example",
			tenant_id: "t",
			roles: ["admin"],
		},
	},
};

/**
 * A fake of the sign-on service, for tests of a page alone: it speaks the same HTTP, and can be slow, refuse
 * and fail on demand, which the real one cannot. The other journeys use the real one.
 */
export async function startFakeSignOn(): Promise<FakeSignOn> {
	let received: Received[] = [];
	let loginAnswer: Answer = signedIn;
	let allowed = "";
	const answers = new Map<string, Answer>();
	const server = createServer(async (request, response) => {
		const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
		if (request.method === "OPTIONS") return send(response, { status: 204, body: undefined }, allowed);
		const body = await readBody(request);
		received.push({
			method: request.method ?? "",
			path: pathname,
			query,
			cookie: request.headers.cookie,
			body,
		});
		const call = `${request.method} ${pathname}`;
		const known = pathname === "/api/v1/auth/login" ? loginAnswer : answerTo(call, pathname);
		send(response, answers.get(call) ?? known, allowed);
	});
	await new Promise<void>((listening) => server.listen(0, "localhost", listening));
	return {
		url: `http://localhost:${(server.address() as AddressInfo).port}`,
		login: (answer) => {
			loginAnswer = answer;
		},
		answer: (call, answer) => {
			if (answer === undefined) answers.delete(call);
			else answers.set(call, answer);
		},
		takeReceived: () => received.splice(0),
		allow: (origin) => {
			allowed = origin;
		},
		close: () => {
			received = [];
			server.closeAllConnections();
			return new Promise((closed) => server.close(() => closed()));
		},
	};
}

function answerTo(call: string, path: string): Answer {
	const known = knownAnswers[call];
	if (known !== undefined) return known;
	if (path === "/api/v1/authorize") return page("Back at the application");
	if (path === "/api/v1/auth/logout") return page("Signed out at the service");
	const code = path.startsWith("/api/v1/tenants/by-slug/") ? "tenant_not_found" : "not_found";
	return { status: 404, body: { error: "There is no such thing.", code, request_id: "r-404" } };
}

function page(title: string): Answer {
	const headers = { "content-type": "text/html" };
	return { status: 200, headers, body: `<!doctype html><title>${title}</title><h1>${title}</h1>` };
}

function send(response: ServerResponse, answer: Answer, allowed: string): void {
	if (answer === "nothing") return;
	if (answer === "hang up") {
		response.destroy();
		return;
	}
	response.writeHead(answer.status, {
		"access-control-allow-origin": allowed,
		"access-control-allow-credentials": "true",
		"access-control-allow-headers": "authorization, content-type, traceparent, x-request-id",
		"access-control-allow-methods": "GET, POST, DELETE",
		"access-control-expose-headers": "retry-after, x-request-id",
		"content-type": "application/json",
		...answer.headers,
	});
	if (answer.status === 204) return void response.end();
	response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
	let text = "";
	for await (const chunk of request) text += chunk;
	// The request that continues a session is a form.
	return text.startsWith("{") ? JSON.parse(text) : text || undefined;
}
