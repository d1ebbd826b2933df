import { Outlet, PublicTenant } from "@lango/contracts";
import { tracedFetch } from "@lango/tracing";
import Type, { type Static, type TSchema } from "typebox";
import Value from "typebox/value";

/** What the sign-on service tells of tenants: by slug to anybody (spec §4.1), by id to who has its key. */
export type SignOn = {
	/** The tenant, or undefined when there is none of that slug. Throws an Error when it cannot be asked or answers nonsense. */
	findTenant(slug: string): Promise<PublicTenant | undefined>;
	/**
	 * The tenant with this id, whatever its slug is, also one that was deleted; undefined when there never was one. Throws an
	 * Error when it cannot be asked, takes no key of ours or answers nonsense: none of that says that it never existed.
	 */
	findTenantById(id: string): Promise<PublicTenant | undefined>;
	/** Its outlets. Throws an Error if they cannot be fetched. */
	listOutlets(slug: string): Promise<readonly FetchedOutlet[]>;
};

/** An outlet of the sign-on service. Its settings are null if it was fetched without a key: the public list has only a part of them. */
export type FetchedOutlet = Omit<Outlet, "settings"> & { settings: Outlet["settings"] | null };

const timeoutMs = 2_000;
const tenantBytesMax = 16 * 1024;
/** 500 outlets with settings of 16 KiB each. */
const outletsBytesMax = 9 * 1024 * 1024;
const outletsMax = 500;

const NotFound = Type.Object({ code: Type.Literal("tenant_not_found") });

export type SignOnOptions = {
	/** The key by which it is asked for tenants by their id (a key for `tenants.read`). */
	apiKey?: string | undefined;
};

/** Asks the sign-on service at `authUrl`; every answer is bounded in time and size and checked before it is believed. */
export function signOnAt(authUrl: string, { apiKey }: SignOnOptions = {}): SignOn {
	const ask = async <S extends TSchema>(
		path: string,
		bytesMax: number,
		shape: S,
	): Promise<Static<S> | undefined> => {
		const answer = await tracedFetch(`${authUrl}/api/v1/tenants/${path}`, {
			headers: { accept: "application/json", ...(apiKey !== undefined && { "x-api-key": apiKey }) },
			redirect: "error",
			signal: AbortSignal.timeout(timeoutMs),
		});
		if (answer.status === 404) {
			// Only the service itself says so in this form: a proxy's 404 is no answer about a tenant.
			if (Value.Check(NotFound, parsed(await readBounded(answer, tenantBytesMax)))) return undefined;
			throw new Error(`${path} answered 404, and not as the sign-on service does`);
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
		async findTenantById(id) {
			const tenant = await ask(id, tenantBytesMax, PublicTenant);
			if (tenant !== undefined && tenant.id !== id) throw new Error(`${id} answered for ${tenant.id}`);
			return tenant;
		},
		async listOutlets(slug) {
			const hasKey = apiKey !== undefined;
			const path = `${slug}/${hasKey ? "outlet-settings" : "outlets"}`;
			const outlets = await ask(path, outletsBytesMax, Type.Array(Outlet, { maxItems: outletsMax }));
			return (outlets ?? []).map((outlet) => (hasKey ? outlet : { ...outlet, settings: null }));
		},
	};
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
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
