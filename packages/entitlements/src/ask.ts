import { Subscription } from "@lango/contracts";
import Schema from "typebox/schema";

/**
 * The subscription service could not be reached or its response is invalid. A retry may succeed. The tenant
 * may have a subscription.
 */
export class EntitlementsUnavailable extends Error {
	constructor(cause: unknown) {
		super("the subscription cannot be checked", { cause });
		this.name = "EntitlementsUnavailable";
	}
}

export type AskOptions = { subscriptionsUrl: string; apiKey: string; fetch: typeof fetch; timeoutMs: number };

/** A response of the subscription service. */
export type Answer =
	| { kind: "subscription"; subscription: Subscription; etag: string | undefined }
	| { kind: "unchanged" }
	| { kind: "no_record" };

const bytesMax = 64 * 1_024;
const snapshotShape = Schema.Compile(Subscription);

/**
 * Fetches a tenant's snapshot (spec §4.2). Throws an Error if there is no complete, valid response within the
 * time limit.
 */
export async function askForSubscription(
	options: AskOptions,
	tenantId: string,
	etag: string | undefined,
): Promise<Answer> {
	const { subscriptionsUrl, apiKey, fetch: get, timeoutMs } = options;
	const answer = await get(`${subscriptionsUrl}/api/v1/tenants/${tenantId}/subscription`, {
		headers: {
			accept: "application/json",
			"x-api-key": apiKey,
			...(etag !== undefined && { "if-none-match": etag }),
		},
		signal: AbortSignal.timeout(timeoutMs),
		redirect: "error",
	});
	if (answer.status === 304 && etag !== undefined) return { kind: "unchanged" };
	const body = await readBody(answer);
	// Any other 404 comes from a wrong URL or a proxy and does not mean that the tenant has no subscription.
	if (answer.status === 404 && codeOf(body) === "no_subscription") return { kind: "no_record" };
	if (answer.status !== 200) throw new Error(`the subscription service answered ${answer.status}`);
	if (!snapshotShape.Check(body))
		throw new Error("the subscription service answered with an invalid subscription");
	if (body.tenant_id.toLowerCase() !== tenantId)
		throw new Error("the subscription service answered with the subscription of another tenant");
	return { kind: "subscription", subscription: body, etag: answer.headers.get("etag") ?? undefined };
}

/**
 * Returns the JSON body of a response, or undefined if it has none. Throws an Error if it is too large or
 * invalid.
 */
export async function readBody({ body }: Response): Promise<unknown> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of body ?? []) {
		length += chunk.byteLength;
		if (length > bytesMax) throw new Error("the response of the subscription service is too large");
		chunks.push(chunk);
	}
	return length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

/** Returns the stable code of an error response. */
export function codeOf(body: unknown): unknown {
	return typeof body === "object" && body !== null && "code" in body ? body.code : undefined;
}
