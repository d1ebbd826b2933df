/** The APIs that the sandbox imitates. Each HTTP API is served below `/<kind>/`. */
export const kinds = ["smtp", "postmark", "africastalking", "twilio", "fcm", "whatsapp_cloud"] as const;
export type Kind = (typeof kinds)[number];

export const channels = ["email", "sms", "push", "whatsapp"] as const;
export type Channel = (typeof channels)[number];

/** What a provider later says about a message, in words that are common to all of them. */
export const reportStatuses = [
	"sent",
	"delivered",
	"read",
	"undelivered",
	"bounced",
	"soft_bounced",
	"complained",
] as const;
export type ReportStatus = (typeof reportStatuses)[number];

/** What a request says, whatever its API. Members that an API does not have are null or empty. */
export type Letter = {
	channel: Channel;
	/** The sender's id of the delivery, if the API has a place for it. */
	deliveryId: string | null;
	from: string | null;
	to: readonly string[];
	/** The business that the message speaks for: a header or label, else the sender's display name. */
	tenant: string | null;
	subject: string | null;
	text: string | null;
	html: string | null;
	headers: ReadonlyArray<readonly [name: string, value: string]>;
	attachments: ReadonlyArray<{ name: string; type: string; bytes: number }>;
	/** The request as it came in, without credentials. */
	source: string;
};

/**
 * How a request ended. `accepted`: the message was taken. `refused`: it was answered with an error.
 * `dropped`: it was neither taken nor answered.
 */
export const outcomes = ["accepted", "refused", "dropped"] as const;
export type Outcome = (typeof outcomes)[number];

/** A report that was due, and what became of its webhook. */
export type ReportEvent = {
	status: ReportStatus;
	at: string;
	/** Null where no webhook address is configured, or the API sends no such report. */
	url: string | null;
	/** The status of the last answer; null: no answer. */
	answered: number | null;
	attempts: number;
};

/** One request for one address. Times are ISO 8601. */
export type Arrival = {
	/** Unique, in the order of arrival. */
	id: number;
	/** The number of the request. A request to several addresses has several arrivals with one ordinal. */
	ordinal: number;
	at: string;
	kind: Kind;
	outcome: Outcome;
	/** The status that was answered or decided: of HTTP or SMTP. */
	status: number | null;
	/** The provider's code of a refusal. */
	code: string | null;
	/** True once the answer has left the process. */
	answered: boolean;
	/** The id that the provider gave the message. */
	providerId: string | null;
	/** The account at the provider that sent it. */
	account: string | null;
	/** SHA-256 of the request's body, hex. */
	hash: string | null;
	letter: Letter | null;
	/** The latest status by the reports so far. */
	state: ReportStatus | null;
	events: readonly ReportEvent[];
};
