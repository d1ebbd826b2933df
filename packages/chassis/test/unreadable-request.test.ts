import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import Fastify from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerUnreadable } from "../src/limits/unreadable-request.ts";

const app = Fastify({ clientErrorHandler: answerUnreadable });
app.get("/", () => ({ status: "ok" }));
beforeAll(() => app.listen({ port: 0, host: "127.0.0.1" }));
afterAll(() => app.close());

/** Sends bytes and reads all that comes back until the connection is closed. */
async function send(bytes: string): Promise<{ head: string; body: Record<string, unknown> }> {
	const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
	let answer = "";
	socket.setEncoding("utf8").on("data", (chunk) => {
		answer += chunk;
	});
	socket.write(bytes);
	await once(socket, "close");
	const [head = "", body = "{}"] = answer.split("\r\n\r\n");
	return { head, body: JSON.parse(body) };
}

test.each([
	[
		"headers of a hundred kilobytes",
		`GET / HTTP/1.1\r\nhost: x\r\nx-long: ${"a".repeat(100_000)}\r\n\r\n`,
		431,
		"headers_too_large",
	],
	["something that is not HTTP", "HELLO\r\n\r\n", 400, "malformed_request"],
	[
		"two lengths",
		"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
		400,
		"malformed_request",
	],
])("%s are refused in the one form", async (...[, bytes, status, code]) => {
	const { head, body } = await send(bytes);
	expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
	expect(body).toEqual({
		error: expect.any(String),
		code,
		request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
	});
});
