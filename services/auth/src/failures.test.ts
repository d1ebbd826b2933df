import { failureTableOf } from "@lango/chassis";
import { expect, test } from "vitest";
import { failures } from "./failures.ts";

test("the code of administrators beyond max_admins is kept for that, as a refusal by 403 (spec §7)", () => {
	expect(failureTableOf(failures).subscription_limit_exceeded?.[0]).toBe("forbidden");
});
