import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
	type Client,
	type ClientOptions,
	type ClientState,
	createClient,
	memoryStorage,
} from "@lango/client";

/**
 * A response, without its end if `isOpen`; `cut` closes the connection without one, `hang` leaves it open.
 */
type FullReply = { status?: number; body?: unknown; headers?: Record<string, string>; isOpen?: boolean };
type Reply = FullReply | "cut" | "hang";
type Asked = { line: string; headers: IncomingMessage["headers"]; body: string; at: number };
type Handler = (asked: Asked) => Reply | Promise<Reply>;

/** A server with scripted responses, and a clock that advances only when a client waits. */
export type TestServer = {
	url: string;
	now: { at: number };
	asked: Asked[];
	/** The received requests as `METHOD path?query`. */
	lines(): string[];
	on(line: string, handler: Handler | Reply): void;
	/** Creates a client of this server with a stored refresh token, without one if `isSignedOut`. */
	client(options?: Partial<ClientOptions> & { isSignedOut?: boolean }): Client & { left: string[] };
	close(): Promise<void>;
};

export const identity = {
	user_id: "0b1e2c7a-0000-4000-8000-000000000001",
	email: "nurse@uhai.example",
	name: "Neema",
	status: "active",
	roles: ["staff"],
	permissions: ["catalog:view"],
	tenant_id: "0b1e2c7a-0000-4000-8000-0000000000aa",
	tenant_slug: "uhai",
	is_platform_owner: false,
	outlet_id: "",
	is_hq_user: false,
	memberships: [],
	profile: { selected_plan: null },
};

/** Creates an unsigned token. The client reads it; services would refuse it. */
function tokenOf(claims: object): string {
	const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
	return `${part({ alg: "none" })}.${part(claims)}.x`;
}

function respond(response: ServerResponse, { status = 200, body, headers = {}, isOpen }: FullReply): void {
	response.writeHead(status, { "content-type": "application/json", ...headers });
	response.write(typeof body === "string" ? body : JSON.stringify(body ?? null));
	if (isOpen !== true) response.end();
}

export async function openTestServer(): Promise<TestServer> {
	const handlers = new Map<string, Handler>();
	const asked: Asked[] = [];
	const now = { at: Date.parse("2026-03-02T08:00:00Z") };
	const server = createServer(async (request, response) => {
		let body = "";
		for await (const chunk of request) body += chunk;
		const line = `${request.method} ${request.url}`;
		const one = { line, headers: request.headers, body, at: now.at };
		asked.push(one);
		const handler = handlers.get(line) ?? handlers.get(line.split("?")[0] ?? "");
		const reply = (await handler?.(one)) ?? { status: 404, body: { error: "none", code: "not_found" } };
		if (reply === "hang") return;
		if (reply === "cut") {
			request.socket.destroy();
			return;
		}
		respond(response, reply);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const on: TestServer["on"] = (line, handler) =>
		void handlers.set(line, typeof handler === "function" ? handler : () => handler);
	let generation = 0;
	on("POST /api/v1/auth/refresh", () => {
		generation += 1;
		return { body: tokens({ jti: String(generation) }, generation) };
	});
	on("GET /api/v1/auth/me", { body: identity });
	return {
		url,
		now,
		asked,
		on,
		lines: () => asked.map(({ line }) => line),
		client: (options) => openClient({ url, now }, options),
		close: () => {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}

/** Creates a response with tokens. */
export function tokens(claims: object, generation: number): object {
	const { tenant_id, tenant_slug, user_id: sub } = identity;
	return {
		access_token: tokenOf({ sid: "s1", sub, tenant_id, tenant_slug, ...claims }),
		refresh_token: `s1.${generation}`,
		expires_in: 21_600,
	};
}

function openClient(
	{ url, now }: Pick<TestServer, "url" | "now">,
	{ isSignedOut = false, ...options }: Partial<ClientOptions> & { isSignedOut?: boolean } = {},
): Client & { left: string[] } {
	const storage = memoryStorage();
	if (!isSignedOut)
		storage.set("lango:console-ui::refresh", JSON.stringify({ refreshToken: "s1.0", sid: "s1" }));
	const left: string[] = [];
	const client = createClient({
		authUrl: url,
		clientId: "console-ui",
		storage,
		tab: memoryStorage(),
		browser: memoryStorage(),
		pageUrl: () => "http://localhost:3001/uhai",
		navigate: (address) => void left.push(address),
		now: () => now.at,
		wait: (milliseconds) => {
			now.at += milliseconds;
			return new Promise((resolve) => setTimeout(resolve, 1));
		},
		channel: undefined,
		locks: undefined,
		...options,
	});
	return Object.assign(client, { left });
}

/** Waits until the state has this status. */
export function waitForStatus(client: Client, status: ClientState["status"]): Promise<ClientState> {
	return new Promise((resolve) => {
		const check = () => {
			if (client.getState().status !== status) return;
			end();
			resolve(client.getState());
		};
		const end = client.subscribe(check);
		check();
	});
}

/** Collects the items of an async iterable. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
	const all: T[] = [];
	for await (const item of items) all.push(item);
	return all;
}

/** Creates a promise and a function that resolves it. */
export function gate(): { opened: Promise<void>; open: () => void } {
	const { promise, resolve } = Promise.withResolvers<void>();
	return { opened: promise, open: resolve };
}
