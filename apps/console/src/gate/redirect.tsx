import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { LoadingPage } from "../pages/loading/loading-page.tsx";

/** Replaces the current page by another one of the console. */
export function Redirect({ to }: { to: string }) {
	const { history } = useRouter();
	useEffect(() => history.replace(to), [history, to]);
	return <LoadingPage />;
}
