import "./styles.css";
import { ClientError } from "@lango/client";
import {
	keepEntriesFor,
	keepShell,
	restoreTheme,
	setFallbackLanguage,
	setRequestedLanguages,
	shareChoices,
	untilReachable,
	watchSending,
} from "@lango/interface";
import { MutationCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { OfflinePage } from "./pages/offline-page.tsx";
import { BrokenPage } from "./pages/unknown/broken-page.tsx";
import { accountsRouter } from "./routes.tsx";
import { requestedLanguages } from "./session/requested-languages.ts";
import { readSettings, type Settings, SettingsContext } from "./settings.ts";

let root: Root | undefined;
/** Without a network a mutation fails. It is not repeated when the network returns. */
const queries: QueryClient = new QueryClient({
	defaultOptions: { mutations: { networkMode: "always" } },
	// The page of a person asks whether their session has ended, and says so.
	mutationCache: new MutationCache({
		onError: (error) => {
			if (error instanceof ClientError && error.code === "session_ended")
				void queries.invalidateQueries({ queryKey: ["me"] });
		},
	}),
});

restoreTheme();
watchSending(queries.getMutationCache());
keepEntriesFor("accounts");
const languages = requestedLanguages(location.search);
if (languages !== undefined) setRequestedLanguages(languages);
setFallbackLanguage(undefined);
show(await untilReachable(readSettings, () => show(<OfflinePage />)).then(pages, broken));
await keepShell();

function pages(settings: Settings): ReactNode {
	setFallbackLanguage(settings.language);
	shareChoices(settings.authUrl);
	return (
		<SettingsContext value={settings}>
			<QueryClientProvider client={queries}>
				<RouterProvider router={accountsRouter()} />
			</QueryClientProvider>
		</SettingsContext>
	);
}

function broken(cause: unknown): ReactNode {
	reportError(cause);
	return <BrokenPage />;
}

function show(content: ReactNode): void {
	const element = document.getElementById("page");
	if (element === null) throw new Error("index.html has no element #page.");
	root ??= createRoot(element);
	root.render(<StrictMode>{content}</StrictMode>);
}
