import type { Database } from "@lango/postgres";
import { forgetWanting, listWanting } from "./repoint.store.ts";
import type { Tenancy } from "./tenancy.ts";
import { TenantDrifted } from "./tenant.ts";

/** Settles behind the scenes whose a slug is that an event told of while it was another's here. */
export type Mending = {
	/** An event may have told of one just now. */
	wake(): void;
	/** Ends after the tenant under way. */
	stop(): Promise<void>;
};

export type MendingOptions = {
	db: Database;
	tenancy: Pick<Tenancy, "reconcile">;
	onTrouble: (error: unknown, about: string) => void;
	/** How often it is looked for what is left. */
	intervalMs?: number;
};

const tenantsAtOnce = 100;
const lookEveryMs = 60_000;

/**
 * Asks the sign-on service about each tenant that an event told of under another's slug. While it cannot be asked, nothing
 * changes and it is asked again with the next look; when it says that the slug is not theirs, they keep their id for one.
 * Any number of processes may do so.
 */
export function startMending({ db, tenancy, onTrouble, intervalMs = lookEveryMs }: MendingOptions): Mending {
	let isStopped = false;
	let isWanted = false;
	let mending: Promise<void> | undefined;

	const mend = async (one: { id: string; slug: string }) => {
		try {
			await tenancy.reconcile(one.slug, one.id);
		} catch (error) {
			if (error instanceof TenantDrifted) await forgetWanting(db, one);
			onTrouble(error, `the slug ${one.slug}`);
		}
	};
	const look = async () => {
		while (isWanted && !isStopped) {
			isWanted = false;
			for (const one of await listWanting(db, tenantsAtOnce)) if (!isStopped) await mend(one);
		}
	};
	const wake = () => {
		isWanted = true;
		if (isStopped) return;
		mending ??= look()
			.catch((error) => onTrouble(error, "slugs that events told of"))
			.finally(() => {
				mending = undefined;
				if (isWanted) wake();
			});
	};
	const timer = setInterval(wake, intervalMs);
	wake();
	return {
		wake,
		async stop() {
			isStopped = true;
			clearInterval(timer);
			await mending;
		},
	};
}
