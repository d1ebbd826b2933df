import { ClientError, explainError } from "@lango/client";
import { PageHeading } from "@lango/interface";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useContext } from "react";
import { useTexts } from "../texts/texts.ts";
import { ErrorNotice } from "./error-notice.tsx";
import { HasHeading } from "./has-heading.ts";
import { useNoticeTexts } from "./texts.ts";

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
	const hasHeading = useContext(HasHeading);
	if (query.data !== undefined) return children(query.data);
	if (query.error !== null) {
		// The error component of the route catches it: gate/refused-page.tsx.
		if (isMain && isRefusal(query.error)) throw query.error;
		const notice = <ErrorNotice error={query.error} onRetry={query.refetch} />;
		return isMain && !hasHeading ? <Headed error={query.error}>{notice}</Headed> : notice;
	}
	return (
		<p role="status" className={`text-quiet ${room}`}>
			{loading}
		</p>
	);
}

/** The error of a page whose heading is known only with its content. */
function Headed({ error, children }: { error: Error; children: ReactNode }) {
	const texts = useTexts();
	const words = useNoticeTexts();
	const heading = error instanceof ClientError && error.status === 404 ? words.missingPage : words.failedPage;
	return (
		<>
			<PageHeading documentTitle={texts.title(heading)} announce>
				{heading}
			</PageHeading>
			<div className="mt-6">{children}</div>
		</>
	);
}

function isRefusal(error: unknown): boolean {
	const kind = explainError(error);
	return kind === "unauthorized" || kind === "pending";
}
