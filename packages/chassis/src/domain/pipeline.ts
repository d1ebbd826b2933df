import { takeTenantSlot } from "../limits/tenant-slots.ts";
import { authenticateWith, type OwnTokens } from "../request/authenticate.ts";
import { declared, guarded, limitedByAddress, mutations, type Pipeline } from "../request/route.ts";
import type { Domain } from "./assembly/domain.ts";
import { authorizeWith } from "./steps/authorize.ts";
import { enforceSubscriptionWith } from "./steps/enforce-subscription.ts";
import { provisionUserWith } from "./steps/provision-user.ts";
import { readOutlet } from "./steps/read-outlet.ts";
import { recordPassesWith } from "./steps/record-passes.ts";
import { resolveTenantWith } from "./steps/resolve-tenant.ts";

/** The steps of every domain service. The order is that of the specification, §5.7: do not change it. */
export function domainPipeline(domain: Domain, ownTokens?: OwnTokens): Pipeline {
	const { limitByAddress, limitByCaller } = domain.limits;
	const { platformOwnerSlug } = domain.settings;
	const authenticate = authenticateWith({ ...domain, ownTokens, platformOwnerSlug });
	const resolveTenant = resolveTenantWith({ ...domain, platformOwnerSlug });
	const enforceSubscription = enforceSubscriptionWith(domain.entitlements);
	const provisionUser = provisionUserWith(domain);
	const authorize = authorizeWith(domain.entitlements);
	const recordPasses = recordPassesWith(domain);
	const takeSlot = takeTenantSlot(domain.tenantSlots);
	// biome-ignore format: reads as a table
	return [
		[limitByAddress,      limitedByAddress],
		[authenticate,        guarded],
		[limitByCaller,       guarded],
		[resolveTenant,       declared],
		[takeSlot,            declared],
		[enforceSubscription, mutations],
		[provisionUser,       guarded],
		[readOutlet,          declared],
		[authorize,           guarded],
		[recordPasses,        guarded],
	];
}
