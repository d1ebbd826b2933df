import { explainError } from "@lango/client";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTexts } from "../texts/texts.ts";
import { ErrorNotice } from "./error-notice.tsx";

type Loaded<T> = {
	query: UseQueryResult<T>;
	/**
	 * Whether the query is the main content of the page. If it is refused, the unauthorized or the pending
	 * page is shown instead (§7).
	 */
	isMain?: boolean;
	/** The height that is kept free meanwhile, so that what is below does not move: a class of Tailwind. */
	room?: string;
	children: (data: T) => ReactNode;
};

/** Shows the result of a query; before that, a loading message or the error with a button to retry. */
export function Loaded<T>({ query, isMain = false, room = "", children }: Loaded<T>) {
	const { loading } = useTexts();
	if (query.data !== undefined) return children(query.data);
	if (query.error !== null) {
		// The error component of the route catches it: gate/refused-page.tsx.
		if (isMain && isRefusal(query.error)) throw query.error;
		return <ErrorNotice error={query.error} onRetry={query.refetch} />;
	}
	return (
		<p role="status" className={`text-quiet ${room}`}>
			{loading}
		</p>
	);
}

function isRefusal(error: unknown): boolean {
	const kind = explainError(error);
	return kind === "unauthorized" || kind === "pending";
}
