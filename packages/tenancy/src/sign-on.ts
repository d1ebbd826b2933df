import { PublicOutlet, PublicTenant } from "@lango/contracts";
import Type, { type Static, type TSchema } from "typebox";
import Value from "typebox/value";

/** What the sign-on service tells of tenants to anybody (spec §4.1). */
export type SignOn = {
	/** The tenant, or undefined when there is none of that slug. Throws an Error when it cannot be asked or answers nonsense. */
	findTenant(slug: string): Promise<PublicTenant | undefined>;
	/** Its outlets. Throws an Error when they cannot be had. */
	listOutlets(slug: string): Promise<readonly PublicOutlet[]>;
};

const timeoutMs = 2_000;
const tenantBytesMax = 16 * 1024;
const outletsBytesMax = 1024 * 1024;
const outletsMax = 500;

/** Asks the sign-on service at `authUrl`; every answer is bounded in time and size and checked before it is believed. */
export function signOnAt(authUrl: string, get: typeof fetch = fetch): SignOn {
	const ask = async <S extends TSchema>(
		path: string,
		bytesMax: number,
		shape: S,
	): Promise<Static<S> | undefined> => {
		const answer = await get(`${authUrl}/api/v1/tenants/${path}`, {
			headers: { accept: "application/json" },
			redirect: "error",
			signal: AbortSignal.timeout(timeoutMs),
		});
		if (answer.status === 404) {
			await answer.body?.cancel();
			return undefined;
		}
		if (!answer.ok) {
			await answer.body?.cancel();
			throw new Error(`${path} answered ${answer.status}`);
		}
		const value: unknown = JSON.parse(await readBounded(answer, bytesMax));
		if (!Value.Check(shape, value)) throw new Error(`${path} answered something else than it should`);
		return value;
	};
	return {
		async findTenant(slug) {
			const tenant = await ask(`by-slug/${slug}`, tenantBytesMax, PublicTenant);
			if (tenant !== undefined && tenant.slug !== slug)
				throw new Error(`by-slug/${slug} answered for "${tenant.slug}"`);
			return tenant;
		},
		listOutlets: async (slug) =>
			(await ask(`${slug}/outlets`, outletsBytesMax, Type.Array(PublicOutlet, { maxItems: outletsMax }))) ??
			[],
	};
}

async function readBounded(answer: Response, bytesMax: number): Promise<string> {
	const parts: Uint8Array[] = [];
	let size = 0;
	for await (const part of answer.body ?? []) {
		size += part.byteLength;
		if (size > bytesMax) throw new Error(`the answer is longer than ${bytesMax} bytes`);
		parts.push(part);
	}
	return Buffer.concat(parts).toString("utf8");
}
