import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A reverse proxy that gives each request to one of several processes of a service. */
export type RoundRobin = {
	url: string;
	/** Requests without a response, with the reason. */
	lost: string[];
	/** How many requests each process answered, in the order they were given. */
	answered(): number[];
	close(): Promise<void>;
};

export type RoundRobinOptions = {
	/** Where it listens; a free port when it is not said. */
	port?: number;
	/** Where the processes answer. */
	members: readonly string[];
	checkEveryMs?: number;
};

type Member = { url: URL; agent: Agent; isIn: boolean; answered: number };
type Asked = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer };
type Outcome = "answered" | "never sent" | "lost";

/** More than a service takes to find out that it is not ready. */
const checkTimeoutMs = 4_000;
const answerTimeoutMs = 30_000;
const bodyBytesMax = 256 * 1024;
/** Only of one hop, RFC 9110 §7.6.1. */
const ofOneHop = [
	"connection",
	"keep-alive",
	"transfer-encoding",
	"upgrade",
	"te",
	"trailer",
	"proxy-connection",
];

/**
 * Gives requests to the processes in turn. One that refuses a connection, or whose `/readyz` says no, gets
 * none until it says yes; when none is in, all are tried. A request goes to another process only when it was
 * never sent: not even begun on a connection.
 */
export async function startRoundRobin(options: RoundRobinOptions): Promise<RoundRobin> {
	const { port = 0, checkEveryMs = 400 } = options;
	const members = options.members.map((url): Member => {
		const agent = new Agent({ keepAlive: true, maxSockets: 64 });
		return { url: new URL(url), agent, isIn: false, answered: 0 };
	});
	const lost: string[] = [];
	const stopping = new AbortController();
	let turn = 0;
	const inOrder = () => {
		turn += 1;
		const rotated = members.map((_, index) => members[(turn + index) % members.length] as Member);
		return rotated.toSorted((one, other) => Number(other.isIn) - Number(one.isIn));
	};
	const server = createServer(async (incoming, response) => {
		const asked = await readAsked(incoming);
		for (const member of asked === undefined ? [] : inOrder()) {
			const outcome = await pass(asked as Asked, { member, response, lost });
			if (outcome !== "never sent") return;
			member.isIn = false;
		}
		if (asked !== undefined) lost.push(`${asked.method} ${asked.path}: no process takes it`);
		refuse(response, 503);
	});
	server.keepAliveTimeout = 60_000;
	server.listen(port, "localhost");
	await once(server, "listening");
	const checking = members.map((member) =>
		keepChecking(member, { everyMs: checkEveryMs, signal: stopping.signal }),
	);
	return {
		url: `http://localhost:${(server.address() as AddressInfo).port}`,
		lost,
		answered: () => members.map(({ answered }) => answered),
		async close() {
			stopping.abort();
			server.close();
			server.closeAllConnections();
			await Promise.all(checking);
			for (const { agent } of members) agent.destroy();
		},
	};
}

async function readAsked(incoming: IncomingMessage): Promise<Asked | undefined> {
	const { method = "GET", url: path = "/", headers } = incoming;
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const chunk of incoming) {
			chunks.push(chunk);
			bytes += chunk.length;
			if (bytes > bodyBytesMax) return undefined;
		}
	} catch {
		return undefined; // The client has closed the connection.
	}
	return { method, path, headers, body: Buffer.concat(chunks) };
}

type Passing = { member: Member; response: ServerResponse; lost: string[] };

/** Sends a request to one process and its answer back. */
function pass({ method, path, headers, body }: Asked, { member, response, lost }: Passing): Promise<Outcome> {
	const { url, agent } = member;
	return new Promise((resolve) => {
		let isConnected = false;
		const fail = (error: Error) => {
			if (!isConnected) return resolve("never sent");
			lost.push(`${method} ${path} at ${url.port}: ${error.message}`);
			if (response.headersSent) response.destroy();
			else refuse(response, 502);
			resolve("lost");
		};
		const sent = request(
			{
				agent,
				method,
				path,
				host: url.hostname,
				port: url.port,
				headers: { ...onward(headers), "content-length": body.length },
				timeout: answerTimeoutMs,
			},
			(answer) => {
				response.writeHead(answer.statusCode ?? 502, onward(answer.headers));
				answer.on("error", fail);
				answer.on("end", () => {
					member.answered += 1;
					resolve("answered");
				});
				answer.pipe(response);
			},
		);
		sent.on("socket", (socket) => {
			if (socket.connecting) socket.once("connect", () => (isConnected = true));
			else isConnected = true;
		});
		sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
		sent.on("error", fail);
		sent.end(body);
	});
}

const onward = (headers: IncomingHttpHeaders): Record<string, string | string[]> =>
	Object.fromEntries(
		Object.entries(headers).flatMap(([name, value]) =>
			value === undefined || ofOneHop.includes(name) ? [] : [[name, value]],
		),
	);

function refuse(response: ServerResponse, status: number): void {
	if (response.destroyed) return;
	response.writeHead(status, { "content-type": "application/json" });
	response.end(JSON.stringify({ error: "No process answers.", code: "round_robin" }));
}

async function keepChecking(
	member: Member,
	{ everyMs, signal }: { everyMs: number; signal: AbortSignal },
): Promise<void> {
	while (!signal.aborted) {
		const either = AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs)]);
		const answer = await fetch(new URL("/readyz", member.url), { signal: either }).catch(() => undefined);
		await answer?.arrayBuffer().catch(() => undefined);
		member.isIn = answer?.status === 200;
		await sleep(everyMs, undefined, { signal }).catch(() => undefined);
	}
}
