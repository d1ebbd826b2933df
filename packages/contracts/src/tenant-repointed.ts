import Type from "typebox";
import type { EventType } from "./events.ts";
import { Uuid } from "./shape.ts";

const Repointed = Type.Object({
	tenant_id: Uuid,
	slug: Type.String(),
	previous_tenant_id: Uuid,
	yielded: Type.Integer({
		minimum: 0,
		description: "Both ids had rows: so many that could not be twice yielded to newer ones",
	}),
});

/** What a domain service tells when the id of a tenant was another there than at the sign-on service, and no longer is. */
export function tenantRepointedOf(service: string): EventType<typeof Repointed> {
	return {
		type: `${service}.tenant.repointed`,
		source: `/${service}`,
		subject: "tenant",
		because:
			"a tenant's id was another here than at the sign-on service: all it has is under the new one now",
		data: Repointed,
	};
}
