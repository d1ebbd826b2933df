/** What floor and peer have besides the route of messages: webhooks that are verified, and open streams. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { plainWebhook } from "./webhook.ts";

/** Adds the route of webhooks: it verifies the signature, and answers once `take` has stored the body. */
export function addWebhooks(app: FastifyInstance, take: (body: Buffer) => Promise<unknown>): void {
	void app.register((raw, _options, ready) => {
		raw.removeContentTypeParser("application/json");
		raw.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
			done(null, body),
		);
		raw.post<{ Body: Buffer }>(plainWebhook.path, async ({ headers, body }, reply) => {
			const expected = `sha256=${createHmac("sha256", plainWebhook.appSecret).update(body).digest("hex")}`;
			const signature = Buffer.from(String(headers["x-hub-signature-256"]).padEnd(expected.length));
			if (!timingSafeEqual(signature, Buffer.from(expected))) return reply.code(401).send({});
			await take(body);
			return reply.code(200).send({});
		});
		ready();
	});
}

/** The items of a request to `/items`: one for each person. */
export type Item = { user: string; id: string };

/**
 * Adds `/stream`, whose bearer token is the person, and `/items`, which hands over new items. Returns the
 * function that writes an item to the streams of its person.
 */
export function addStreams(
	app: FastifyInstance,
	take: (items: readonly Item[]) => Promise<unknown>,
): (item: Item) => void {
	const streams = new Map<string, ServerResponse[]>();
	app.get(plainStreamPath, (request, reply) => {
		reply.hijack();
		const user = String(request.headers.authorization).replace("Bearer ", "");
		streams.set(user, [...(streams.get(user) ?? []), reply.raw]);
		reply.raw.writeHead(200, { "content-type": "text/event-stream" });
		reply.raw.write("event: count\ndata: {}\n\n");
	});
	app.post<{ Body: Item[] }>("/items", async ({ body }, reply) => {
		await take(body);
		return reply.code(202).send({});
	});
	const data = JSON.stringify({ title: "Results are ready", body: "Please call the ward before noon." });
	return ({ user, id }) => {
		for (const stream of streams.get(user) ?? []) stream.write(`id: 1.${id}\nevent: item\ndata: ${data}\n\n`);
	};
}

/** The path of the streams of floor and peer. */
export const plainStreamPath = "/stream";
