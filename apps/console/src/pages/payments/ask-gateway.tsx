import { Button, Notice } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import type { ErrorMessages } from "../../notices/explain.ts";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import {
	type GatewayQuestion,
	gatewayQuestionQuery,
	isAwaited,
	type StatusAnswer,
	statusAnswerOf,
} from "./gateway-question.queries.ts";

type AskGateway = {
	scope: ServiceScope;
	ask: () => Promise<GatewayQuestion>;
	texts: {
		ask: string;
		asking: string;
		awaiting: string;
		answered: string;
		failed: (code: string) => string;
		unknown: string;
		errors: ErrorMessages;
	};
};

/** A button that asks the mobile-money gateway, and what became of the question. */
export function AskGateway({ scope, ask, texts }: AskGateway) {
	const asked = useMutation({ mutationFn: ask });
	return (
		<div className="mt-4 grid justify-items-start gap-3">
			<Button busyText={asked.isPending ? texts.asking : undefined} onClick={() => asked.mutate()}>
				{texts.ask}
			</Button>
			<ErrorNotice error={asked.error} messages={texts.errors} />
			{asked.data !== undefined && (
				<GatewayAnswer key={asked.data.id} asked={asked.data} scope={scope} texts={texts} />
			)}
		</div>
	);
}

type Asked = {
	scope: ServiceScope;
	asked: GatewayQuestion;
	texts: Pick<AskGateway["texts"], "awaiting" | "answered" | "failed" | "unknown">;
	/** Shows what the gateway has answered about a transaction. */
	children?: (answer: StatusAnswer) => ReactNode;
};

/** What became of a question to the gateway. */
export function GatewayAnswer({ asked, scope, texts, children }: Asked) {
	const queries = useQueryClient();
	const { data, error, refetch } = useQuery(gatewayQuestionQuery(usePlatform(), scope, asked));
	const { slug } = scope;
	useEffect(() => {
		// An answer changes balances, receipts, the statement, and whether the shortcode is verified. One that
		// fails may say that the gateway does not know a receipt, which is removed.
		if (data.status === "answered" || data.status === "failed")
			queries.invalidateQueries({ queryKey: ["treasury", slug] }).catch(reportError);
	}, [data.status, queries, slug]);
	if (isAwaited(data) && error !== null) return <ErrorNotice error={error} onRetry={refetch} />;
	if (isAwaited(data)) return <p role="status">{texts.awaiting}</p>;
	if (data.status === "answered") {
		const answer = statusAnswerOf(data);
		return (
			<>
				<Notice kind="done">{texts.answered}</Notice>
				{answer !== undefined && children?.(answer)}
			</>
		);
	}
	const { failed, unknown } = texts;
	return (
		<Notice kind="warning">{data.status === "failed" ? failed(data.failure_code ?? "–") : unknown}</Notice>
	);
}
