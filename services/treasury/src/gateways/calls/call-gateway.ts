import type { Logger } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import { inSpan, requireNoOpenTransaction } from "@lango/tracing";
import { SpanKind } from "@opentelemetry/api";
import { type Answer, isObject, parseJson, type Raw, refused, unknown } from "./answer.ts";
import { createGuards, notSent } from "./guard-calls.ts";
import { sendRequest } from "./send-request.ts";

/** A call of a gateway. Its operation is the name in spans, logs and breakers. */
export type GatewayCall = {
	profile: { id: string; baseUrl: string };
	operation: string;
	method: "GET" | "POST";
	/** Begins with a slash. Segments that vary are encoded by the caller. */
	path: string;
	query?: Readonly<Record<string, string | undefined>>;
	headers: Readonly<Record<string, string>>;
	json?: object;
	/** Calls that move money out have 30 s, others 10 s. */
	isMoneyOut?: boolean;
	bucket: { key: string; perSecond: number; isQuery: boolean };
};

/** A complete answer. A body that is not a JSON object is an empty object. */
export type GatewayResponse = { status: number; body: Raw };

/** Reads what a complete answer says. */
export type ReadResponse<T> = (response: GatewayResponse) => Answer<T>;

/** Calls a gateway. It rejects only for bugs. */
export type CallGateway = <T>(call: GatewayCall, read: ReadResponse<T>) => Promise<Answer<T>>;

const timeLimitMs = 10_000;
const moneyOutLimitMs = 30_000;

/**
 * Creates the only function that sends requests to gateways: one attempt within a time limit, behind
 * breaker, bulkhead and bucket, in a span. Neither log nor span has a header, a query or a body; of a
 * refusal the log has the gateway's words, masked.
 * `isPublicOnly`: the gateway must have https and public addresses. `openBreakers`
 * gets the names of the breakers that are open. All processes on `db` share the calls per second; without it
 * this process has its own. `timeFactor` shortens the limits in tests.
 */
export function createCallGateway({
	log,
	isPublicOnly,
	openBreakers,
	db,
	timeFactor = 1,
}: {
	log: Pick<Logger, "info" | "warn">;
	isPublicOnly: boolean;
	db?: Database;
	openBreakers?: Set<string>;
	timeFactor?: number;
}): CallGateway {
	const guard = createGuards(openBreakers, db);
	return async (call, read) => {
		requireNoOpenTransaction("call a gateway");
		const use = { profileId: call.profile.id, operation: call.operation, bucket: call.bucket };
		const began = performance.now();
		const answer = await guard(use, () =>
			inSpan(spanOf(call), async (span) => {
				const limitMs = (call.isMoneyOut === true ? moneyOutLimitMs : timeLimitMs) * timeFactor;
				const one = await attempt(call, { read, limitMs, isPublicOnly });
				span?.setAttribute("lango.gateway.outcome", one.is);
				return one;
			}),
		);
		const { operation } = call;
		const about = { operation, ms: Math.round(performance.now() - began), ...outcomeOf(answer) };
		log[answer.is === "unknown" ? "warn" : "info"](about, "gateway called");
		return answer;
	};
}

const outcomeOf = (answer: Answer<unknown>) => ({
	outcome: answer.is,
	...(answer.is === "refused" && { code: answer.code, gateway_text: maskText(answer.text) }),
	...(answer.is === "unknown" && { because: answer.because }),
});

const textMax = 200;
/** Numbers, addresses and keys in what a gateway says. */
const personal = /\S+@\S+|https?:\/\/\S+|\+?\d[\d\s().-]{2,}\d|\S{20,}/g;

const maskText = (text: string): string => text.replaceAll(personal, "•••").slice(0, textMax);

type Attempt<T> = { read: ReadResponse<T>; limitMs: number; isPublicOnly: boolean };

async function attempt<T>(
	call: GatewayCall,
	{ read, limitMs, isPublicOnly }: Attempt<T>,
): Promise<Answer<T>> {
	const { method, headers, json } = call;
	const sent = await sendRequest({
		...{ url: urlOf(call), method, headers, isPublicOnly, timeLimitMs: limitMs },
		body: json === undefined ? undefined : JSON.stringify(json),
	});
	if (sent.is === "answered") return read({ status: sent.status, body: readBody(sent.text) });
	return sent.is === "unanswered"
		? unknown(sent.code)
		: refused(notSent.unreachable, `The gateway cannot be reached (${sent.code}).`, true);
}

function urlOf({ profile, path, query = {} }: GatewayCall): URL {
	const url = new URL(`${profile.baseUrl}${path}`);
	for (const [name, value] of Object.entries(query))
		if (value !== undefined) url.searchParams.set(name, value);
	return url;
}

function readBody(text: string): Raw {
	try {
		const value = parseJson(text);
		return isObject(value) ? value : {};
	} catch (error) {
		if (error instanceof SyntaxError) return {};
		throw error;
	}
}

const spanOf = ({ operation, method, profile }: GatewayCall) => ({
	name: `${method} ${operation}`,
	kind: SpanKind.CLIENT,
	attributes: () => ({
		"http.request.method": method,
		"server.address": new URL(profile.baseUrl).hostname,
		"lango.gateway.operation": operation,
	}),
});
