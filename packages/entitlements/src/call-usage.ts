import { type AskOptions, codeOf, EntitlementsUnavailable, readBody } from "./ask.ts";

/**
 * The subscription service refused the request, and a retry would be refused too. `code` and `fields` come
 * from its response.
 */
export class UsageRefused extends Error {
	readonly status: number;
	readonly code: string;
	readonly fields: Readonly<Record<string, unknown>>;

	constructor(status: number, { error, code, ...fields }: Readonly<Record<string, unknown>>) {
		super(typeof error === "string" ? error : `the subscription service answered ${status}`);
		this.name = "UsageRefused";
		this.status = status;
		this.code = typeof code === "string" ? code : "unknown";
		this.fields = fields;
	}
}

export type UsageCall = { method: "GET" | "POST" | "DELETE"; tenantId: string; path: string; body?: unknown };

/**
 * Sends a request about a tenant's usage. Throws UsageRefused if the request was refused, and
 * EntitlementsUnavailable for any failure that says nothing about the tenant: a timeout, a server error, a
 * refused API key.
 */
export async function callUsage(
	{ subscriptionsUrl, apiKey, fetch: send, timeoutMs }: AskOptions,
	{ method, tenantId, path, body }: UsageCall,
): Promise<unknown> {
	const answered = async () => {
		const answer = await send(`${subscriptionsUrl}/api/v1/tenants/${tenantId}${path}`, {
			method,
			headers: {
				accept: "application/json",
				"x-api-key": apiKey,
				...(body !== undefined && { "content-type": "application/json" }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
			signal: AbortSignal.timeout(timeoutMs),
			redirect: "error",
		});
		// A 413 may come from a proxy, with a body of its own.
		const said = answer.status === 413 ? await readBody(answer).catch(() => ({})) : await readBody(answer);
		return { status: answer.status, ok: answer.ok, body: said };
	};
	const answer = await answered().catch((cause) => {
		throw new EntitlementsUnavailable(cause);
	});
	if (answer.ok) return answer.body;
	if (!isSaidOfRequest(answer))
		throw new EntitlementsUnavailable(new Error(`the subscription service answered ${answer.status}`));
	throw new UsageRefused(answer.status, answer.body as Record<string, unknown>);
}

/**
 * Whether a refusal concerns the request: it has a code of the service. 401 and `forbidden` concern our API
 * key, and a proxy's 404 has no code.
 */
function isSaidOfRequest({ status, body }: { status: number; body: unknown }): boolean {
	if (status === 413) return true;
	const code = codeOf(body);
	return [400, 403, 404, 409].includes(status) && typeof code === "string" && !aboutUs.has(code);
}

const aboutUs: ReadonlySet<string> = new Set(["forbidden", "not_found"]);
