/** The path of the page of a plan or an add-on. */
export const pageOf = {
	plans: "/$slug/platform/plans/$code",
	"add-ons": "/$slug/platform/add-ons/$code",
} as const;

/** The path of the page that creates its next version. */
export const nextOf = {
	plans: "/$slug/platform/plans/$code/next",
	"add-ons": "/$slug/platform/add-ons/$code/next",
} as const;
