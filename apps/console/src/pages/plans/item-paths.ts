/** Where the page of a plan or an add-on is. */
export const pageOf = {
	plans: "/$slug/platform/plans/$code",
	"add-ons": "/$slug/platform/add-ons/$code",
} as const;

/** Where its next version is made. */
export const nextOf = {
	plans: "/$slug/platform/plans/$code/next",
	"add-ons": "/$slug/platform/add-ons/$code/next",
} as const;
