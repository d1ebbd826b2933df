import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import type { Socket } from "node:net";

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string };
export type Asking = {
	url: string;
	method?: "GET" | "POST" | "PUT";
	headers?: OutgoingHttpHeaders;
	body?: string;
};

const timeoutMs = 30_000;
/** Keep-alive connections, one per request in flight. */
const agent = new Agent({ keepAlive: true, scheduling: "fifo" });

/** Bytes received so far, headers included. */
export const exchanged = { received: 0 };
const countedOf = new WeakMap<Socket, number>();

function countBytes(socket: Socket): void {
	exchanged.received += socket.bytesRead - (countedOf.get(socket) ?? 0);
	countedOf.set(socket, socket.bytesRead);
}

/** Sends one request on a keep-alive connection and reads the whole response. Follows no redirect. */
export function ask({ url, method = "GET", headers = {}, body }: Asking): Promise<Answer> {
	return new Promise((done, fail) => {
		const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
		const asked = request(url, { agent, method, headers: { ...headers, ...length }, timeout: timeoutMs });
		asked.on("response", (response) => {
			const chunks: Buffer[] = [];
			response.on("data", (chunk: Buffer) => chunks.push(chunk));
			response.on("error", fail);
			const { socket } = response;
			response.on("end", () => {
				countBytes(socket);
				done({
					status: response.statusCode ?? 0,
					headers: response.headers,
					text: Buffer.concat(chunks).toString("utf8"),
				});
			});
		});
		asked.on("timeout", () => asked.destroy(new Error(`no answer within ${timeoutMs} ms: ${url}`)));
		asked.on("error", fail);
		asked.end(body);
	});
}
