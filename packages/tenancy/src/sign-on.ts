import { Outlet, PublicTenant } from "@lango/contracts";
import { tracedFetch } from "@lango/tracing";
import Type, { type Static, type TSchema } from "typebox";
import Value from "typebox/value";

/** The sign-on service's API for tenants: by slug it is public (spec §4.1), by id it requires a key. */
export type SignOn = {
	/**
	 * Returns the tenant with this slug, or undefined. Throws an Error if the service is unavailable or its
	 * response is invalid.
	 */
	findTenant(slug: string): Promise<PublicTenant | undefined>;
	/**
	 * Returns the tenant with this id, with any slug, also a deleted one; undefined if the id was never issued.
	 * Throws an Error if the service is unavailable, refuses the key, or its response is invalid: none of these
	 * means that the tenant does not exist.
	 */
	findTenantById(id: string): Promise<PublicTenant | undefined>;
	/** Its outlets. Throws an Error if they cannot be fetched. */
	listOutlets(slug: string): Promise<readonly FetchedOutlet[]>;
};

/**
 * An outlet of the sign-on service. Its settings are null if it was fetched without a key, because the public
 * list has only some of them.
 */
export type FetchedOutlet = Omit<Outlet, "settings"> & { settings: Outlet["settings"] | null };

const timeoutMs = 2_000;
const tenantBytesMax = 16 * 1024;
/** 500 outlets with 16 KiB of settings each. */
const outletsBytesMax = 9 * 1024 * 1024;
const outletsMax = 500;

const NotFound = Type.Object({ code: Type.Literal("tenant_not_found") });

export type SignOnOptions = {
	/** The key for tenants by id (purpose `tenants.read`). */
	apiKey?: string | undefined;
};

/**
 * Creates a client of the sign-on service at `authUrl`. Every response is limited in time and size, and
 * validated.
 */
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
			// Only the service itself has this response body: the 404 of a proxy does not mean that the tenant does
			// not exist.
			if (Value.Check(NotFound, parsed(await readBounded(answer, tenantBytesMax)))) return undefined;
			throw new Error(`${path} answered 404 without the sign-on service's error body`);
		}
		if (!answer.ok) {
			await answer.body?.cancel();
			throw new Error(`${path} answered ${answer.status}`);
		}
		const value: unknown = JSON.parse(await readBounded(answer, bytesMax));
		if (!Value.Check(shape, value)) throw new Error(`${path} answered with an invalid body`);
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
		if (size > bytesMax) throw new Error(`the response is larger than ${bytesMax} bytes`);
		parts.push(part);
	}
	return Buffer.concat(parts).toString("utf8");
}
