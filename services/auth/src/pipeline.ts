import { findSettingKey } from "@lango/access";
import { authenticateWith, guarded, type Pipeline, takeTenantSlot } from "@lango/chassis";
import { admitAdministrators } from "./administrators/admit-administrator.ts";
import type { Dependencies } from "./dependencies.ts";

/** What every request goes through: who is asking, and may they administer what they ask for. */
export function pipeline(dependencies: Dependencies): Pipeline {
	const { db, verifier, now, tenantSlots, settings } = dependencies;
	const { platformOwnerSlug } = settings;
	const authenticate = authenticateWith({
		verifier,
		platformOwnerSlug,
		findApiKey: (id) => findSettingKey(db, { id, now: now() }),
		keysOnlyWhereDeclared: true,
	});
	return [
		[authenticate, guarded],
		[takeTenantSlot(tenantSlots), guarded],
		[admitAdministrators({ db, now, platformOwnerSlug }), guarded],
	];
}
