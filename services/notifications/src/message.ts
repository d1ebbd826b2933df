import type { AccessTokenClaims } from "@lango/contracts";
import type { Channel } from "./channel.ts";
import type { Category, TemplateVersion, Values } from "./template.ts";

/** What caused a message. */
export const sources = ["rest", "event", "digest", "resend", "test"] as const;
export type Source = (typeof sources)[number];
/** The class decides the slots, retries and expiry of a message. It is never the caller's choice. */
export const classes = ["urgent", "normal", "bulk"] as const;
export type Class = (typeof classes)[number];

/** The requester of a message: a person, an OAuth client, an API key, or a trigger. */
export type Requester = { kind: "user" | "client" | "key" | "trigger"; id: string };

/** A request to send a message. */
export type MessageRequest = {
	tenantId: string;
	source: Source;
	channel: Channel;
	/** The path of the template: `<group>/<name>`. */
	template: string;
	/** 1 to 1,000 addresses, phone numbers, device tokens, or `user:<uuid>`; each once. */
	to: readonly string[];
	/** The template's variables. */
	data: Values;
	/** Of a test: a compiled draft, which is sent instead of what is in force, and values that were checked. */
	draft?: { template: TemplateVersion; values: Values };
	metadata?: Metadata;
	locale?: string;
	sendAt?: Date;
	expiresAt?: Date;
	requester: Requester;
	outletId?: string;
	/** The caller's key; without it the key is derived from the request (§8). */
	idempotencyKey?: string;
	aboutTenantId?: string;
	/** The tenant whose people `user:` names; undefined: `tenantId`. */
	peopleOf?: string;
	runId?: string;
	resendOf?: string;
	/** The link of the sign-on that is fetched when the message is sent. */
	linkId?: string;
	/** A message of the platform: exempt from gate, daily limit, channel limit and credit. */
	isExempt?: boolean;
	wantsDeliveryEvents?: boolean;
	/** Part of a larger set: the class is bulk, whatever the number of recipients. */
	isBulk?: boolean;
	/** The plan's claims of the caller's token, if a person called: used while no snapshot is available. */
	claims?: AccessTokenClaims;
	/** The message is part of a digest: its deliveries end as `digested`, and are not sent by themselves. */
	isDigested?: boolean;
	/** Superusers have no limits of a plan (identity §5.9). */
	isUnlimited?: boolean;
	/** Whether a request over the daily limit is refused, or accepted as skipped. */
	overLimit: "refuse" | "skip";
};

/** The metadata of a message that have a meaning; other members are labels. */
export type Metadata = {
	subject?: string;
	/** The name or the id of a provider. */
	provider?: string;
	pushTitle?: string;
	labels?: Readonly<Record<string, string>>;
};

/** What is stored of a request for rendering, encrypted. */
export type StoredData = {
	values: Values;
	subject?: string;
	pushTitle?: string;
	/** The link of the sign-on service that is fetched when the message is sent. */
	linkId?: string;
	/** The draft that a test sends. */
	draft?: TemplateVersion;
};

const minute = 60_000;
const hour = 60 * minute;

/** How long a message of a class is tried, in milliseconds. */
export const lifetimeMs: Readonly<Record<Class, number>> = {
	urgent: 15 * minute,
	normal: 24 * hour,
	bulk: 72 * hour,
};

const bulkAbove = 100;

/** Returns the class of a message. A test is not urgent, whatever its template is for. */
export function classOf({
	category,
	recipients,
	source,
	isBulk = false,
}: {
	category: Category;
	recipients: number;
	source: Source;
	isBulk?: boolean | undefined;
}): Class {
	if (category === "security" && source !== "test") return "urgent";
	return recipients > bulkAbove || source === "digest" || isBulk ? "bulk" : "normal";
}
