import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CardGateway, type CardGatewayOptions, startCardGateway } from "../src/index.ts";

export const secretKey = "sk_test_of_the_test";
export const now = "2026-11-24T08:00:00.000Z";

type Received = {
	event: string;
	data: Readonly<Record<string, unknown>>;
	raw: string;
	headers: IncomingHttpHeaders;
};

/** A merchant: keeps the events that it receives, and answers with the next of `answers`, else 200. */
async function startMerchant() {
	const received: Received[] = [];
	const answers: number[] = [];
	const server = createServer(async (request, response) => {
		const raw = await text(request);
		received.push({ ...JSON.parse(raw), raw, headers: request.headers });
		response.writeHead(answers.shift() ?? 200).end();
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	return {
		received,
		answers,
		url: `http://127.0.0.1:${port}/webhooks/cardgateway`,
		stop: () => server.close(),
	};
}

/** A gateway whose clock is set to `now`, with a merchant at its webhook address. */
export async function startTestGateway(options: CardGatewayOptions = {}) {
	const merchant = await startMerchant();
	const gateway = await startCardGateway({
		...{ port: 0, secretKey, webhookUrl: merchant.url, webhookPausesMs: [0, 0, 0] },
		...options,
	});
	const client = clientOf(gateway);
	await client.control("PUT clock", { now });
	return {
		...{ ...client, url: gateway.url, received: merchant.received, answers: merchant.answers },
		stop: async () => {
			merchant.stop();
			await gateway.stop();
		},
	};
}

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;

function clientOf({ url }: CardGateway) {
	const send = async (what: string, { body, key }: { body?: unknown; key?: string }) => {
		const [method = "", path = ""] = what.split(" ");
		const answer = await fetch(`${url}${path}`, {
			method,
			headers: {
				...(key !== undefined && { authorization: `Bearer ${key}` }),
				...(body !== undefined && { "content-type": "application/json" }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		const content = await answer.text();
		return { status: answer.status, body: content === "" ? undefined : JSON.parse(content) };
	};
	/** Calls the gateway as a merchant, as in `POST /refund`. */
	const call = (what: string, body?: unknown, key = secretKey) => send(what, { body, key });
	/** Calls `/_control`, as in `PUT clock`. Throws at 4xx and 5xx. */
	const control = async (what: string, body?: unknown) => {
		const answer = await send(what.replace(" ", " /_control/"), { body });
		if (answer.status >= 400) throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
		return answer.body;
	};
	/** Initializes a payment; returns its reference and access code. */
	const initialize = async (members: object = {}) => {
		const asked = { amount: 100_000, email: "amina@kahawa.example", currency: "KES", ...members };
		return (await call("POST /transaction/initialize", asked)).body.data;
	};
	/** A paid transaction. */
	const pay = async (members: object = {}, choice: object = {}) => {
		const { access_code: code, reference } = await initialize(members);
		const chosen = { action: "pay", channel: "card", ...choice };
		await control(`POST checkouts/${code}`, chosen);
		return reference as string;
	};
	/** Everything that was sent, in the order in which it happened; how it arrives depends on the network. */
	const sent = async (): Promise<Array<Pick<Received, "event" | "data">>> =>
		(await control("GET deliveries")).items.map(({ body }: { body: string }) => JSON.parse(body));
	/** The names of what was sent, but for those of payments at the checkout. */
	const events = async () =>
		(await sent()).map(({ event }) => event).filter((event) => event !== "charge.success");
	/** The data of the latest event of this name. */
	const latest = async (event: string) => (await sent()).filter((one) => one.event === event).at(-1)?.data;
	return { call, control, initialize, pay, sent, events, latest };
}
