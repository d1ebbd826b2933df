import { Subscription } from "@lango/contracts";
import Schema from "typebox/schema";

/** The subscription service gave no answer that can be relied on; trying again later may help. Nothing is said about the tenant. */
export class EntitlementsUnavailable extends Error {
	constructor(cause: unknown) {
		super("the subscription cannot be checked", { cause });
		this.name = "EntitlementsUnavailable";
	}
}

export type AskOptions = { subscriptionsUrl: string; apiKey: string; fetch: typeof fetch; timeoutMs: number };

/** What the subscription service said. */
export type Answer =
	| { kind: "subscription"; subscription: Subscription; etag: string | undefined }
	| { kind: "unchanged" }
	| { kind: "no_record" };

const bytesMax = 64 * 1_024;
const snapshotShape = Schema.Compile(Subscription);

/** Asks for one tenant's snapshot (spec §4.2). Throws an Error for every answer but a whole one, in time. */
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
	// Any 404 but this one is a wrong address or a proxy's, and says nothing about the tenant.
	if (answer.status === 404 && codeOf(body) === "no_subscription") return { kind: "no_record" };
	if (answer.status !== 200) throw new Error(`the subscription service answered ${answer.status}`);
	if (!snapshotShape.Check(body))
		throw new Error("the subscription service answered something that is no subscription");
	if (body.tenant_id.toLowerCase() !== tenantId)
		throw new Error("the subscription service answered for another tenant");
	return { kind: "subscription", subscription: body, etag: answer.headers.get("etag") ?? undefined };
}

/** The JSON of an answer, undefined when it has none. Throws an Error when it is too large or not JSON. */
export async function readBody({ body }: Response): Promise<unknown> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of body ?? []) {
		length += chunk.byteLength;
		if (length > bytesMax) throw new Error("the subscription service answered too much");
		chunks.push(chunk);
	}
	return length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

/** The stable code of a refusal. */
export function codeOf(body: unknown): unknown {
	return typeof body === "object" && body !== null && "code" in body ? body.code : undefined;
}
