import { text } from "./settings.ts";

/** The kind of environment that a process runs in, a setting of every service. */
export const nodeEnv = text({
	env: "NODE_ENV",
	default: "production",
	because:
		"development or test enable features for a developer's machine: demo tenants, sandbox payments, test clocks, links in the log, cookies over plain http; any other value is production",
});

/** Whether development features are on: only if NODE_ENV is explicitly `development` or `test`. */
export const isDevelopment = (value: string | undefined): boolean =>
	value === "development" || value === "test";
