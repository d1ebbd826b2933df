import { createCache, type Invalidatable } from "@lango/memory";
import { type Database, inTenant } from "@lango/postgres";
import { findLiveVersion, findVersion, type PublishedTemplate } from "./template.store.ts";

/** Finds published templates, from a cache. */
export type PublishedTemplates = {
	/** The template that a tenant's messages use; undefined if none has this path. */
	find(tenantId: string, path: string): Promise<PublishedTemplate | undefined>;
	/** A version by its id, as a message stores it. */
	get(tenantId: string, versionId: string): Promise<PublishedTemplate>;
	/** A template of a tenant, or of the platform (undefined), was published. */
	published(tenantId: string | undefined): void;
	setListening: Invalidatable["setListening"];
};

const pathsMax = 10_000;
const versionsMax = 1_000;
/** Versions never change. */
const versionMaxAgeMs = 24 * 3_600_000;
const pathMaxAgeMs = 60_000;

/** Creates the cache of published templates of a process. */
export function createPublishedTemplates({ db, now }: { db: Database; now: () => Date }): PublishedTemplates {
	const live = createCache<string | undefined>({ sizeMax: pathsMax, maxAgeMs: pathMaxAgeMs, now });
	const versions = createCache<PublishedTemplate>({ sizeMax: versionsMax, maxAgeMs: versionMaxAgeMs, now });
	const get = (tenantId: string, versionId: string) =>
		versions.load(versionId, async () => {
			const found = await inTenant(db, tenantId, (tx) => findVersion(tx, versionId));
			if (found === undefined) throw new Error(`the template version ${versionId} is missing`);
			return found;
		});
	return {
		get,
		async find(tenantId, path) {
			const versionId = await live.load(`${tenantId} ${path}`, () =>
				inTenant(db, tenantId, (tx) => findLiveVersion(tx, path)),
			);
			return versionId === undefined ? undefined : get(tenantId, versionId);
		},
		published(tenantId) {
			if (tenantId === undefined) live.invalidateAll();
			else live.invalidateWhere((key) => key.startsWith(`${tenantId} `));
		},
		setListening: live.setListening,
	};
}
