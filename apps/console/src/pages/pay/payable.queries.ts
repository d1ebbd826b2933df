import { ClientError } from "@lango/client";
import { queryOptions } from "@tanstack/react-query";

/** What the treasury says of a payment request to a payer without an account. */
export type Payable = {
	status: "requires_payment" | "processing" | "partially_paid" | "succeeded" | "expired" | "cancelled";
	description: string;
	payee_name: string;
	amount_minor: number;
	due_minor: number;
	currency: string;
	expires_at: string;
	/** Whether the time to pay it is over. */
	is_over: boolean;
	return_url: string | null;
	needs_email: boolean;
	phone: {
		shortcode: string;
		kind: "paybill" | "till";
		account_code: string;
		/** Why a phone cannot be asked to pay what is due; null: it can. */
		prompt_refusal: "amount_not_whole" | "amount_out_of_range" | null;
	} | null;
	card_channels: string[];
	latest_attempt: PayAttempt | null;
};

/** What was tried last to pay it. */
export type PayAttempt = {
	id: string;
	channel: string;
	status: string;
	phone_masked: string | null;
	/** Why it did not pay: a code of ours or of the gateway. */
	failure_code: string | null;
};

/** The treasury, and the pay code of the address of the page. */
export type PayLink = { treasuryUrl: string; code: string };

const open: ReadonlySet<Payable["status"]> = new Set(["requires_payment", "processing", "partially_paid"]);
const live: ReadonlySet<string> = new Set(["new", "submitting", "awaiting", "unknown"]);

const isLive = ({ latest_attempt: latest }: Payable): boolean => latest !== null && live.has(latest.status);

/** Whether it can still be paid: by what the payer begins now, or by what was begun in time. */
export const isPayable = (payable: Payable): boolean =>
	open.has(payable.status) && (!payable.is_over || isLive(payable));

/** The phone that is being asked to pay; undefined if none is. */
export const promptedPhone = ({ latest_attempt: latest }: Payable): string | undefined =>
	latest?.channel === "push" && live.has(latest.status) ? (latest.phone_masked ?? "") : undefined;

/** The last attempt if it ended without paying; undefined if none was started, or it has not ended. */
export const failedAttempt = ({ latest_attempt: latest }: Payable): PayAttempt | undefined =>
	latest === null || live.has(latest.status) || latest.status === "succeeded" ? undefined : latest;

const pollMilliseconds = 2_000;
/** Once the time is over, only the gateway's answer is awaited. */
const latePollMilliseconds = 15_000;
const timeoutMilliseconds = 20_000;

/** After how long a request is read again; false: it is not, because it cannot be paid any more. */
export const pollFor = (payable: Payable | undefined): number | false => {
	if (payable === undefined || !isPayable(payable)) return false;
	return payable.is_over ? latePollMilliseconds : pollMilliseconds;
};

/** The payment request of a pay code; read again while it can be paid. */
export const payableQuery = (link: PayLink) =>
	queryOptions({
		queryKey: ["pay", link.code],
		queryFn: () => callTreasury<Payable>(link, { path: "" }),
		refetchInterval: ({ state: { data } }) => pollFor(data),
		retry: (failures, error) => failures < 2 && !(error instanceof ClientError && error.status === 404),
	});

/** Asks a phone to pay. */
export const askPhone = (link: PayLink, phone: string) =>
	callTreasury<unknown>(link, { path: "/push", body: { phone } });

/** Opens the page of the card gateway, and returns its address. */
export async function openCheckout(link: PayLink, email: string | undefined): Promise<string> {
	const body = email === undefined ? {} : { email };
	const checkout = await callTreasury<{ authorization_url: string }>(link, { path: "/checkout", body });
	return checkout.authorization_url;
}

/** Calls a route of the pay code. Throws a ClientError with the code of the failure. */
async function callTreasury<T>(
	{ treasuryUrl, code }: PayLink,
	{ path, body }: { path: string; body?: object },
): Promise<T> {
	const request = body !== undefined && {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(body),
	};
	const answer = await fetch(`${treasuryUrl}/api/v1/pay/${encodeURIComponent(code)}${path}`, {
		...request,
		signal: AbortSignal.timeout(timeoutMilliseconds),
	}).catch((cause: unknown) => {
		throw new ClientError("unavailable", { cause });
	});
	const read: unknown = await answer.json().catch(() => undefined);
	if (answer.ok) return read as T;
	const failure = (read ?? {}) as Record<string, unknown>;
	throw new ClientError(String(failure["code"] ?? "unavailable"), { status: answer.status, body: failure });
}
