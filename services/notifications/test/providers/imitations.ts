import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type MessagesSandbox, startMessagesSandbox } from "@lango/sandbox-messages";
import type { RawWebhook, Report } from "../../src/provider.ts";
import { fcm } from "../../src/providers/adapters/fcm.ts";
import { smtp } from "../../src/providers/adapters/smtp.ts";
import type { RenderedEmail } from "../../src/rendering/rendered.ts";
import { control, truth } from "./sandbox.ts";

/** The sandbox's imitations, with accounts of each vendor that lead to them, and a receiver of webhooks. */
export type Imitations = Awaited<ReturnType<typeof openImitations>>;

export const deliveryId = "0197a1b2-0000-7000-8000-000000000001";
export const tenantId = "0197a1b2-0000-7000-8000-00000000000a";
const providerId = "0197a1b2-0000-7000-8000-0000000000aa";

/** A call to a provider with its deadline. */
export const call = (timeoutMs = 3_000) => ({ deliveryId, tenantId, signal: AbortSignal.timeout(timeoutMs) });

const phone = "+254712345678";
export const sms = (to = phone) => ({ channel: "sms", to, text: "Habari", segments: 1 }) as const;
export const whatsapp = (to = phone) => ({ channel: "whatsapp", to, text: "Habari" }) as const;
export const push = (to = "device-1") => ({ channel: "push", to, title: "Ripoti", body: "Habari" }) as const;
export const mail = (to = "amina@kahawa.example"): RenderedEmail => ({
	...{ channel: "email", from: { name: 'Kahawa "Bora"', address: "no-reply@lango.example" }, to },
	...{ subject: "Ripoti", html: "<p>Habari</p>", text: "Habari" },
	unsubscribeUrl: "https://lango.example/public/unsubscribe?t=abc",
});

const { privateKey } = generateKeyPairSync("rsa", {
	modulusLength: 2048,
	publicKeyEncoding: { type: "spki", format: "pem" },
	privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** Starts everything. */
export async function openImitations() {
	const sandbox = await startMessagesSandbox({ port: 0, smtpPort: 0, slowMs: 50, reportAfterMs: 0 });
	const receiver = await startReceiver();
	const mailServer = openMailServer(sandbox);
	return {
		...accountsAt(sandbox, receiver.url),
		/** The account at the mail server. */
		ms: () => mailServer.account,
		/** Webhooks that came, the oldest first. */
		webhooks: receiver.webhooks,
		control: (what: string, body?: unknown) => control(sandbox, what, body),
		truth: () => truth(sandbox),
		/** Every request to a vendor of this kind has this fault. */
		fault: (kind: string, action: object) =>
			control(sandbox, "PUT /control/faults", [{ kind, match: { every: 1 }, do: action }]),
		/** What an adapter reads in all webhooks so far. */
		reports: (read: (webhook: RawWebhook) => readonly Report[]) => receiver.webhooks.flatMap(read),
		async reset() {
			await control(sandbox, "DELETE /control/truth");
			await control(sandbox, "PUT /control/faults", []);
			await control(sandbox, "PUT /control/webhooks", {
				africastalking: { url: `${receiver.url}/webhooks/at?token=abc` },
				postmark: { url: `${receiver.url}/webhooks/pm?token=abc`, secret: "postmark:secret" },
				whatsapp_cloud: { url: `${receiver.url}/webhooks/wa?token=abc`, secret: "app-secret" },
			});
			receiver.webhooks.length = 0;
		},
		async close() {
			receiver.close();
			mailServer.close();
			await sandbox.stop();
		},
	};
}

async function startReceiver() {
	const webhooks: RawWebhook[] = [];
	const server = createServer(async (request, response) => {
		const body = await buffer(request);
		const address = `${url}${request.url}`;
		const query = Object.fromEntries(new URL(address).searchParams);
		webhooks.push({ url: address, query, headers: request.headers, body });
		response.end();
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return { url, webhooks, close: () => void server.close() };
}

function openMailServer({ smtpPort }: MessagesSandbox) {
	const account = {
		...{ id: providerId, owner: "platform" as const, inFlightMax: 10 },
		credentials: { host: "127.0.0.1", port: smtpPort, secure: false, requireTls: false },
	};
	const opened = smtp.connect?.(account);
	if (opened === undefined) throw new Error("smtp keeps no connection");
	return { account: { ...account, connection: opened.connection }, close: opened.close };
}

/** Accounts; the parameter is the credential that the vendor refuses if it contains `invalid`. */
function accountsAt({ url }: MessagesSandbox, receiverUrl: string) {
	const base = (kind: string) => ({
		...{ id: providerId, owner: "platform" as const, inFlightMax: 10, connection: undefined },
		webhookUrl: `${receiverUrl}/webhooks/${providerId}?token=abc`,
		baseUrl: `${url}/${kind}`,
	});
	return {
		at: (apiKey = "any") => ({
			...base("africastalking"),
			credentials: { username: "lango", apiKey, senderId: "LANGO" },
		}),
		tw: (authToken = "token-1") => ({
			...base("twilio"),
			credentials: { accountSid: `AC${"0".repeat(32)}`, authToken, from: "+15005550006" },
		}),
		pm: (serverToken = "any") => ({
			...base("postmark"),
			credentials: { serverToken, webhookUser: "postmark", webhookPassword: "secret" },
		}),
		wa: (accessToken = "any") => ({
			...base("whatsapp_cloud"),
			credentials: { phoneNumberId: "106540352242922", accessToken, appSecret: "app-secret" },
		}),
		fc(changes: { clientEmail?: string; privateKey?: string } = {}) {
			const credentials = { projectId: "lango-demo", clientEmail: "push@lango-demo.example", privateKey };
			const account = { ...base("fcm"), credentials: { ...credentials, ...changes } };
			const opened = fcm.connect?.(account);
			if (opened === undefined) throw new Error("fcm keeps no token");
			return { ...account, connection: opened.connection };
		},
	};
}
