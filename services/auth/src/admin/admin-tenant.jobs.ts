import { defineSchedule } from "@lango/jobs";
import type { Dependencies } from "../dependencies.ts";
import { finishErasures } from "./erase-tenant.ts";

/** Every ten minutes: what is left of tenants whose erasure was interrupted goes. */
export const finishTenantErasures = defineSchedule<Pick<Dependencies, "db">>({
	name: "tenants.finish-erasures",
	everySeconds: 600,
	timeoutSeconds: 300,
	work: ({ db }, { signal }) => finishErasures({ db }, signal),
});
