import type { IncomingHttpHeaders } from "node:http";
import type { Static, TSchema } from "typebox";
import type { Channel } from "./channel.ts";
import type { Rendered } from "./rendering/rendered.ts";

/** What a provider answered to a call. `unknown`: the request was sent, and no answer came. */
export type Outcome =
	| { is: "accepted"; ref?: string }
	| {
			is: "refused";
			mayRetry: boolean;
			code: string;
			/** The provider asked to wait that long (`Retry-After`), in seconds. */
			afterSeconds?: number;
			/** The address can never be reached: it becomes a suppression. */
			isAddressBad?: true;
			/** The provider could not be reached or did not look at the message: no attempt is counted. */
			isUnreachable?: true;
	  }
	| { is: "unknown"; code: string };

/** What a report says about a delivery; the state it leads to is decided in `deliveries/delivery.ts`. */
export const reportKinds = [
	"sent",
	"delivered",
	"read",
	"undelivered",
	"bounced",
	"soft_bounced",
	"complained",
] as const;
export type ReportKind = (typeof reportKinds)[number];

/** What a provider says about a message after it accepted it. */
export type Report = {
	/** Identifies the report at the provider: a repeated one changes nothing. */
	eventKey: string;
	kind: ReportKind;
	/** The provider's id of the message. */
	ref?: string;
	/** Our ids, from providers that return them. */
	deliveryId?: string;
	tenantId?: string;
	/** The provider's code of the reason, without personal data. */
	code?: string;
	/** The address can never be reached. */
	isAddressBad?: true;
	/** When it happened; undefined: when the report came. */
	at?: Date;
};

/** A provider's address and its opened credentials. */
export type Account<C> = {
	id: string;
	/** The platform's hosts may have private addresses, a tenant's may not (`host-policy.ts`). */
	owner: "platform" | "tenant";
	/** Where its API is; undefined: the vendor's own address. Only the platform owner sets it. */
	baseUrl?: string;
	/** The sender's address of mails through a tenant's own provider; those of the platform have none. */
	fromAddress?: string;
	credentials: C;
	/** How many calls it takes at once. */
	inFlightMax: number;
	/** The public address of its webhook, with the token; undefined if the provider does not need one. */
	webhookUrl?: string;
};

/** An account with its open connection, for adapters that keep one (SMTP). */
export type Connected<C, P> = Account<C> & { connection: P };

/** A webhook request as it came in. `url` is built from NOTIFICATIONS_PUBLIC_URL, never from `Host`. */
export type RawWebhook = {
	url: string;
	query: Readonly<Record<string, string>>;
	headers: IncomingHttpHeaders;
	body: Buffer;
};

/** Thrown by `readReports` if the signature is missing or wrong: the webhook is answered 401. */
export class WebhookRefused extends Error {
	override name = "WebhookRefused";
}

/**
 * A call with its deadline, a signal that no other call has. `deliveryId` is the idempotency key where the
 * provider knows one. Providers that return a value of ours in their reports get both ids.
 */
export type Call = { deliveryId: string; tenantId: string; signal: AbortSignal };

/** How far the clocks of a provider and of this service may differ. */
export const clockDifferenceMs = 5_000;

/** A message that the provider may have: it was sent to this phone with this text, after the call began. */
export type Sought = {
	deliveryId: string;
	channel: Channel;
	to: string;
	calledAt: Date;
	isText(text: string): boolean;
};

/**
 * One kind of provider. Adapters hold no state and touch no database; a call ends with `call.signal` at the
 * latest, follows no redirects, and reads at most 64 KB of an answer.
 */
export type Adapter<S extends TSchema = TSchema, P = undefined> = {
	kind: string;
	channels: readonly Channel[];
	/** The shape of its credentials. */
	credentials: S;
	can: {
		/** The provider sends a message with the same id once. */
		deduplicate: boolean;
		/** It can be asked whether it has a message. */
		lookUp: boolean;
		/** Its reports contain our id. */
		echoId: boolean;
	};
	/** Opens what is kept between calls. The caller closes it when the account changes or is no longer used. */
	connect?(account: Account<Static<S>>): { connection: P; close(): void };
	send(account: Connected<Static<S>, P>, message: Rendered, call: Call): Promise<Outcome>;
	/**
	 * Finds a message whose call had no answer, and returns its state. Undefined if the provider does not have
	 * it, or has several that it could be.
	 */
	lookUp?(account: Connected<Static<S>, P>, sought: Sought, call: Call): Promise<Report | undefined>;
	/** Verifies a webhook and returns its reports. Throws `WebhookRefused`. */
	readReports?(account: Account<Static<S>>, webhook: RawWebhook): readonly Report[];
	/** Verifies the credentials with a call that sends nothing. */
	check(account: Connected<Static<S>, P>, call: Pick<Call, "signal">): Promise<Outcome>;
};
