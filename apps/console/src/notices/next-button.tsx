import { Button } from "@lango/interface";
import { getRouteApi, useLocation, useRouter } from "@tanstack/react-router";
import { readNext } from "../session/next-path.ts";
import { useNoticeTexts } from "./texts.ts";

const route = getRouteApi("/$slug");

/** Opens the page that the user wanted first (`?next=`). Empty without such a page, and on that page. */
export function NextButton() {
	const { next } = route.useSearch();
	const { pathname } = useLocation();
	const { history } = useRouter();
	const words = useNoticeTexts();
	const wanted = readNext(next);
	if (wanted === undefined || wanted === pathname) return null;
	return <Button onClick={() => history.push(wanted)}>{words.next}</Button>;
}
