import { defineFailures } from "@lango/chassis";

/** Everything this service refuses besides what every domain service does. Codes are public: never rename one. */
export const failures = defineFailures({
	rider_not_found: ["not_found", "There is no such rider."],
	rider_exists: ["conflict", "This person is a rider already."],
	rider_status_conflict: ["conflict", "From their present status the rider cannot be changed to that one."],
	user_not_found: ["not_found", "The service knows no such person in the tenant."],
});
