import { lazy, Suspense } from "react";
import { Route, Routes } from "react-router";
import NotOpenPage from "../features/later/NotOpenPage.tsx";
import { Guard } from "./Guard.tsx";

const BetRoomPage = lazy(() => import("../features/room/BetRoomPage.tsx"));

export function AppRoutes() {
  return (
    <Suspense fallback={null}>
      <Routes>
        <Route index element={<NotOpenPage />} />
        <Route element={<Guard />}>
          <Route path="betRoom" element={<BetRoomPage />} />
        </Route>
        <Route path="*" element={<NotOpenPage />} />
      </Routes>
    </Suspense>
  );
}
