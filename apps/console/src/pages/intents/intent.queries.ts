import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";
import { type Attempt, isLive } from "../payments/attempt-list.tsx";
import { type IntentStatus, isOpen } from "../payments/intent-status.tsx";

/** What a tenant asked to be paid, as the treasury returns it. */
export type Intent = {
	id: string;
	status: IntentStatus;
	amount_minor: number;
	received_minor: number;
	currency: string;
	description: string;
	operation_id: string;
	order_id: string | null;
	source_service: string;
	account_code: string;
	pay_url: string;
	channels: string[];
	expires_at: string;
	created_at: string;
	attempts: Attempt[];
	payments: Array<{ id: string; receipt_id: string; amount_minor: number; created_at: string }>;
};

/** A payment to ask for. */
export type IntentRequest = {
	amount_minor: number;
	currency: string;
	description: string;
	order_id?: string;
	customer?: { email?: string; phone?: string };
};

/** The cache key of everything about a tenant's intents. */
export const intentsKey = ({ slug }: Pick<ServiceScope, "slug">) => ["treasury", slug, "intents"];

/** The address of the tenant's intents. */
export const intentsAddress = (platform: Platform, scope: ServiceScope): string =>
	`${serviceAddress(platform, scope)}/intents`;

const addressOf = (platform: Platform, scope: ServiceScope, id: string) =>
	`${intentsAddress(platform, scope)}/${encodeURIComponent(id)}`;

/** How often an open intent is read: a phone answers within seconds. */
const pollMilliseconds = 2_000;

/** An intent as it was read. */
export type ShownIntent = Intent & {
	/** Whether the time to pay it was over. Money that came late can keep it open after that. */
	isOver: boolean;
};

/** Whether an intent may change by itself: it can be paid, or an attempt may still pay. */
const isChanging = (intent: ShownIntent): boolean =>
	isOpen(intent) && (!intent.isOver || intent.attempts.some(isLive));

/** An intent with its attempts and payments; read again while it may change. */
export const intentQuery = (platform: Platform, scope: ServiceScope, id: string) =>
	queryOptions({
		queryKey: [...intentsKey(scope), "one", id],
		queryFn: async ({ signal }): Promise<ShownIntent> => {
			const address = addressOf(platform, scope, id);
			const intent = await platform.client.call<Intent>(address, { outlet: "none", signal });
			return { ...intent, isOver: Date.parse(intent.expires_at) <= Date.now() };
		},
		refetchInterval: ({ state: { data } }) => (data && isChanging(data) ? pollMilliseconds : false),
	});

/** Asks for a payment. The same key with the same request returns the same intent. */
export const askForPayment = (
	platform: Platform,
	scope: ServiceScope,
	{ request, idempotencyKey }: { request: IntentRequest; idempotencyKey: string },
): Promise<Intent> =>
	platform.client.call(intentsAddress(platform, scope), {
		...{ outlet: "none", method: "POST", body: request, idempotencyKey },
	});

type Named = { scope: ServiceScope; id: string };

/** Asks a phone to pay an intent. */
export const askPhone = (platform: Platform, { scope, id }: Named, phone: string): Promise<unknown> =>
	platform.client.call(`${addressOf(platform, scope, id)}/push`, {
		...{ outlet: "none", method: "POST", body: { phone } },
	});

/** Opens the card gateway's page for an intent, and returns its address. "": the payer's e-mail address. */
export async function openCheckout(platform: Platform, { scope, id }: Named, email: string): Promise<string> {
	const opened = await platform.client.call<{ authorization_url: string }>(
		`${addressOf(platform, scope, id)}/checkout`,
		{ outlet: "none", method: "POST", body: email === "" ? {} : { email } },
	);
	return opened.authorization_url;
}

/** Asks the gateways what became of the attempts to pay an intent. */
export const refreshIntent = (platform: Platform, { scope, id }: Named): Promise<unknown> =>
	platform.client.call(`${addressOf(platform, scope, id)}/refresh`, { outlet: "none", method: "POST" });

/** Has the gateway draw the QR code that pays what is due of an intent. */
export const drawQrCode = (platform: Platform, { scope, id }: Named): Promise<{ png_base64: string }> =>
	platform.client.call(`${addressOf(platform, scope, id)}/qr`, {
		...{ outlet: "none", method: "POST", body: {} },
	});

/** Cancels an intent. */
export const cancelIntent = (platform: Platform, { scope, id }: Named): Promise<unknown> =>
	platform.client.call(`${addressOf(platform, scope, id)}/cancel`, { outlet: "none", method: "POST" });
