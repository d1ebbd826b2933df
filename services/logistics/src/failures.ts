import { defineFailures } from "@lango/chassis";

/**
 * The failures of this service, besides those of every domain service. Codes are public: never rename one.
 */
export const failures = defineFailures({
	rider_not_found: ["not_found", "Rider not found."],
	rider_exists: ["conflict", "This person is a rider already."],
	rider_status_conflict: ["conflict", "The rider's current status does not allow this change."],
	user_not_found: ["not_found", "User not found. The person must be known to this service in this tenant."],
});
