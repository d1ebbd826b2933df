import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";

/** A request that reached the gateway. */
type Received = {
	method: string;
	url: string;
	headers: Record<string, unknown>;
	body: Record<string, unknown>;
};

/** How a request is answered: with a status and a body, or by a closed connection, or not at all. */
export type Reply = { status: number; body: unknown } | "reset" | "silence";

/** A gateway over HTTP that answers as a test says. */
export type TestGateway = {
	url: string;
	received: Received[];
	/** Decides the answers from now on. */
	answerWith(choose: (request: Received) => Reply): void;
	close(): Promise<void>;
};

/** Reads an answer of the fixtures: `mobile-money/token`. */
export const readAnswer = (name: string): unknown =>
	JSON.parse(readFileSync(join(import.meta.dirname, `../fixtures/answers/${name}.json`), "utf8"));

/** An answer of the fixtures with status 200 or another one. */
export const fixture = (name: string, status = 200): Reply => ({ status, body: readAnswer(name) });

/** Starts a gateway on a free port. */
export async function startTestGateway(): Promise<TestGateway> {
	const received: Received[] = [];
	const sockets = new Set<Socket>();
	let choose: (request: Received) => Reply = () => ({ status: 404, body: {} });
	const server: Server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const text = Buffer.concat(chunks).toString("utf8");
		const { method = "", url = "", headers } = request;
		const one = { method, url, headers, body: text === "" ? {} : JSON.parse(text) };
		received.push(one);
		const reply = choose(one);
		if (reply === "silence") return;
		if (reply === "reset") return void request.socket.destroy();
		response.writeHead(reply.status, { "content-type": "application/json", location: "/elsewhere" });
		response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
	});
	server.on("connection", (socket) => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		received,
		answerWith: (by) => {
			choose = by;
		},
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
