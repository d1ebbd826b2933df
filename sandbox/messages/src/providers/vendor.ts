import type { IncomingHttpHeaders } from "node:http";
import type { WebhookRequest } from "@lango/sandbox-base";
import type { FaultAction } from "../faults/fault.ts";
import type { Special } from "../faults/special-recipients.ts";
import type { Arrival, Channel, Kind, Letter, ReportStatus } from "../record/arrival.ts";
import type { Sandbox } from "../sandbox.ts";

/** A request as it came in. */
export type VendorRequest = {
	/** Method and path, as the source shows them. */
	line: string;
	params: Readonly<Record<string, string>>;
	query: Readonly<Record<string, string>>;
	headers: IncomingHttpHeaders;
	body: string;
};

/** An answer: a string is sent as text, anything else as JSON. */
export type VendorAnswer = { status: number; body: unknown; headers?: Readonly<Record<string, string>> };

/** Why a request is refused, in the vendor's own code. */
export type Refusal = { status: number; code?: string | number | undefined };

/** Where the reports about a message go. */
export type ReportAddress = {
	url: string;
	/** What the vendor signs with, or `name:password` where it signs in. */
	secret?: string | undefined;
};

/** What a request to send says. */
export type Submission = {
	letter: Letter;
	/** The account at the provider that sends. */
	account: string;
	/** Where the request itself asks for reports. */
	reportTo?: ReportAddress | undefined;
};

/** A message as a report or a list shows it. */
export type Taken = Arrival & { letter: Letter; providerId: string };

/** A report to a webhook. Its signature, if the vendor has one, is made with the secret of the address. */
export type VendorReport = { status: ReportStatus; taken: Taken; at: Date; to: ReportAddress };

/** A request that sends nothing: a look-up, the check of an account, a token. */
type OtherRoute = {
	method: "GET" | "POST";
	/** Below `/<kind>`. */
	path: string;
	answer(request: VendorRequest, sandbox: Sandbox): VendorAnswer;
};

/** An API that the sandbox imitates below `/<kind>`, in the vendor's paths, shapes and codes. */
export type Vendor = {
	kind: Kind;
	/** The path of requests that send. */
	send: string;
	/** Reads a request that sends; a refusal where the vendor would refuse it, an answer if it only asks. */
	read(request: VendorRequest, sandbox: Sandbox): Submission | Refusal | { answer: VendorAnswer };
	/** The id of an accepted message, and the answer. */
	accept(
		submission: Submission,
		context: Sandbox & { ordinal: number },
	): { providerId: string; answer: VendorAnswer };
	refuse(refusal: Refusal, letter: Letter | null): VendorAnswer;
	/** What recipients get that behave in a special way; `slow` is the same for all vendors. */
	specials(channel: Channel): Partial<Record<Special, FaultAction>>;
	/** The last status that is reported without a rule. */
	lastStatus: ReportStatus;
	/** The webhook of a report; undefined: the vendor does not report this status. */
	report?(report: VendorReport): WebhookRequest | undefined;
	others: readonly OtherRoute[];
};

/** A letter with the members that short messages have. */
export const shortLetter = (
	members: Pick<Letter, "channel" | "deliveryId" | "from" | "to" | "text" | "source"> & Partial<Letter>,
): Letter => ({ tenant: null, subject: null, html: null, headers: [], attachments: [], ...members });

/** Credentials are wrong if they are missing or contain the word `invalid`. */
export const isWrong = (credential: string | undefined): boolean =>
	credential === undefined || credential === "" || credential.includes("invalid");

/** Whether it is a message that the provider took. */
export const isTaken = (arrival: Arrival): arrival is Taken =>
	arrival.letter !== null && arrival.providerId !== null;
