import { createHmac } from "node:crypto";
import { refOf } from "./installation.store.ts";

/** A webhook of WhatsApp: its path with the token, and what signs and names its account. */
export type Webhook = { path: string; appSecret: string; phoneNumberId: string };

/** That of floor and peer. */
export const plainWebhook: Webhook = {
	path: "/webhooks",
	appSecret: "secret-of-the-bench",
	phoneNumberId: "106540352242922",
};

/** The report that the nth delivery of `addSent` was delivered, signed. */
export function reportOf({ path, appSecret, phoneNumberId }: Webhook, n: number) {
	const status = { id: refOf(n), status: "delivered", timestamp: String(Math.floor(Date.now() / 1_000)) };
	const value = {
		...{ messaging_product: "whatsapp", metadata: { phone_number_id: phoneNumberId } },
		statuses: [{ ...status, recipient_id: "254712000001" }],
	};
	const entry = [{ id: "1", changes: [{ field: "messages", value }] }];
	const body = JSON.stringify({ object: "whatsapp_business_account", entry });
	return { path, body, signature: `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}` };
}

type Made = { id: string; webhook_url: string };

/** Adds a provider of WhatsApp to a tenant by `post`, and returns how its webhooks are called. */
export async function provideWebhook(
	post: (path: string, body?: object) => Promise<unknown>,
): Promise<Webhook & { providerId: string }> {
	const { appSecret, phoneNumberId } = plainWebhook;
	const { id: providerId } = (await post("/providers", {
		...{ channel: "whatsapp", kind: "whatsapp_cloud", name: "bench" },
		credentials: { phoneNumberId, accessToken: "bench", appSecret },
	})) as Made;
	const { webhook_url: url } = (await post(`/providers/${providerId}/webhook-token`)) as Made;
	const { pathname, search } = new URL(url);
	return { path: pathname + search, appSecret, phoneNumberId, providerId };
}
