import Type from "typebox";
import { Uuid } from "../values/shape.ts";
import type { EventType } from "./event.ts";

const Repointed = Type.Object({
	tenant_id: Uuid,
	slug: Type.String(),
	previous_tenant_id: Uuid,
	yielded: Type.Integer({
		minimum: 0,
		description: "Number of rows of the old id that were replaced by newer rows of the new id",
	}),
});

/**
 * Published by a domain service when it has moved a tenant's rows to the id of the sign-on service, after the
 * two ids differed.
 */
export function tenantRepointedOf(service: string): EventType<typeof Repointed> {
	return {
		type: `${service}.tenant.repointed`,
		source: `/${service}`,
		subject: "tenant",
		because:
			"a tenant's id differed from the sign-on service's; all its rows have the sign-on service's id now",
		data: Repointed,
	};
}
