import { defineFailures } from "../failure.ts";

/** What every domain service refuses besides what the chassis refuses everywhere. */
export const domainFailures = defineFailures({
	tenant_inactive: ["forbidden", "This tenant is not active."],
	config_value_too_large: ["invalid_input", "The value is longer than 8 KB."],
	config_full: ["conflict", "There are as many settings as one tenant may have. Remove one first."],
});
